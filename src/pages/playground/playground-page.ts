import { html } from 'lit'
import { openPage } from '../shell/open-page.ts'
import { PageElement, viewEmpty } from '../shell/page-element.ts'

/** The place to write a script and run it. */
class PlaygroundPage extends PageElement {
  override render() {
    return html`<h1>Playground</h1>
      ${viewEmpty(
        'Nothing to write in yet',
        html`Read the
          <a href="/rostrum.d.ts">types of the script API</a>,
          then
          <a href="/docs/scripts.md">run a script over HTTP</a>.`,
      )}`
  }
}

const keys = [{ keys: 'g then p', does: 'Comes here' }]

openPage({ element: 'playground-page', type: PlaygroundPage, keys })
