import { copyText } from '../shell/copy-text.ts'

// Long enough to read the notice.
const noticeMs = 3_000

/** Makes the button of each code block copy its text, and reports what happened. */
export function copyCode(report: (notice: string) => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('.code button') : null
    const code = button?.closest('.code')?.querySelector('code')
    if (code === null || code === undefined) return
    copyOrSelect(code).then(notice => {
      clearTimeout(timer)
      report(notice)
      timer = setTimeout(() => report(''), noticeMs)
    })
  })
}

async function copyOrSelect(code: HTMLElement): Promise<string> {
  if (await copyText(code.textContent)) return 'Copied'
  getSelection()?.selectAllChildren(code)
  return 'Selected. Press Ctrl+C to copy.'
}
