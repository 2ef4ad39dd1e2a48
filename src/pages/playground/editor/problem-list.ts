import { html } from 'lit'
import { PageElement } from '../../shell/page-element.ts'
import type { Problem } from '../types/protocol.ts'

/** The list of all marks. Sends `choose-problem` with the chosen one. */
class ProblemList extends PageElement {
  static override properties = { problems: { attribute: false } }
  declare problems: readonly Problem[]

  constructor() {
    super()
    this.problems = []
  }

  override render() {
    const items = this.problems.map(problem => this.#viewProblem(problem))
    return html`<ul class="problems" aria-label="Problems">${items}</ul>`
  }

  #viewProblem(problem: Problem) {
    const choose = () => this.dispatchEvent(new CustomEvent('choose-problem', { detail: problem }))
    const chooseByKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      choose()
    }
    const text = `Ln ${problem.line}, Col ${problem.column} ${problem.message}`
    return html`<li tabindex="0" @click=${choose} @keydown=${chooseByKey}>${text}</li>`
  }
}

customElements.define('problem-list', ProblemList)
