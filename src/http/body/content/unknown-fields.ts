import { z } from 'zod'
import type { FieldError } from '../../../errors.ts'
import { InexactInteger } from '../../../json/inexact-integer.ts'
import { shortPointerPart } from '../../../json/read-json.ts'

const maxNamed = 20

/** Returns an error for each field of a body that its shape does not have, at any level: 20 of them at most. */
export function findUnknownFields(shape: z.core.$ZodType, body: unknown, pointer = ''): FieldError[] {
  const fields = fieldsOf(shape)
  if (fields === null || !isObject(body)) return []
  const found: FieldError[] = []
  for (const [name, value] of Object.entries(body)) {
    const place = `${pointer}/${shortPointerPart(name)}`
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) found.push({ pointer: place, detail: 'is an unknown field' })
    else found.push(...findUnknownFields(field, value, place))
    if (found.length >= maxNamed) break
  }
  return found.slice(0, maxNamed)
}

function isObject(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof InexactInteger)
  )
}

/** The fields of an object's shape, through what is wrapped around it; null for other shapes. */
function fieldsOf(shape: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | null {
  if (shape instanceof z.ZodObject) return shape.shape
  if (shape instanceof z.ZodPipe) return fieldsOf(shape.out)
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return fieldsOf(shape.unwrap())
  return null
}
