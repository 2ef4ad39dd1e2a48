/** Returns an element that shows a signature, and what it means. */
export function toElement(
  signature: readonly (string | Node)[],
  documentation: string,
  role?: string,
): HTMLElement {
  const element = document.createElement('div')
  element.className = 'cm-describe'
  if (role !== undefined) element.setAttribute('role', role)
  element.append(...signature)
  if (documentation !== '') {
    const text = document.createElement('p')
    text.append(documentation)
    element.append(text)
  }
  return element
}
