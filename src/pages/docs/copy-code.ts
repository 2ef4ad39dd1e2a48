// Long enough to read the notice.
const noticeMs = 3_000

/** Makes the button of each code block copy its text, and reports what happened. */
export function copyCode(report: (notice: string) => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('.code button') : null
    const code = button?.closest('.code')?.querySelector('code')
    if (code === null || code === undefined) return
    copyText(code).then(notice => {
      clearTimeout(timer)
      report(notice)
      timer = setTimeout(() => report(''), noticeMs)
    })
  })
}

async function copyText(code: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(code.textContent)
    return 'Copied'
  } catch {
    // A page that came over plain HTTP from another host has no clipboard.
    getSelection()?.selectAllChildren(code)
    return 'Selected. Press Ctrl+C to copy.'
  }
}
