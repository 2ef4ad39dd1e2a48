import { html } from 'lit'
import { readSession } from '../gateway/session.ts'
import { openPublicPage } from '../shell/open-page.ts'
import { PageElement } from '../shell/page-element.ts'

const script = `if (payload.total > 100) {
  fail('Ask your lead first.')
}
log('total', payload.total)
exit({ ...payload, total: payload.total * 2 })`

class FrontPage extends PageElement {
  override render() {
    return html`<div class="front">
      <div class="front-words">
        <h1>Your customers’ scripts, run safely</h1>
        <p class="lead">
          Rostrum keeps your customers’ teams and cases and runs their JavaScript, over GraphQL, REST and webhooks.
        </p>
        <p><a class="button main" href="/login">Sign in</a></p>
        <p class="quiet">With a token: <code>npm start</code> prints one on the first start.</p>
      </div>
      <figure class="front-script">
        <pre tabindex="0"><code>${script}</code></pre>
        <figcaption><span>exit</span> <code>/total 3 → 6</code></figcaption>
      </figure>
      <ul class="front-facts">
        <li>
          <strong>Sandboxed</strong> Each run gets a fresh isolate without files, network or secrets. A script that
          hangs fails its own run and nothing else.
        </li>
        <li>
          <strong>Part of the work</strong> A script checks a case on each save, answers a webhook, or runs when a user
          asks for it.
        </li>
        <li>
          <strong>Seen</strong> Every run keeps its log, its calls, its input and its result, and can be replayed.
        </li>
      </ul>
      <ul class="doors">
        <li><a href="/docs">Docs</a><span>From an empty folder to a script that runs.</span></li>
        <li><a href="/docs/api">API</a><span>Every path, every answer, every error.</span></li>
        <li><a href="/graphql">GraphiQL</a><span>Try queries against the schema.</span></li>
      </ul>
    </div>`
  }
}

if (readSession() === null) openPublicPage({ element: 'front-page', type: FrontPage })
else location.replace('/playground')
