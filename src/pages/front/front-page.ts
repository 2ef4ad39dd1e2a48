import { html } from 'lit'
import { openPublicPage } from '../shell/open-page.ts'
import { PageElement } from '../shell/page-element.ts'
import { readSession } from '../shell/session.ts'

class FrontPage extends PageElement {
  override render() {
    return html`<div class="front">
      <h1>Rostrum</h1>
      <p class="lead">
        Rostrum keeps your customers' teams and cases and runs their JavaScript safely, over GraphQL, REST and webhooks.
      </p>
      <p><a class="button main" href="/login">Sign in</a></p>
      <ul class="doors">
        <li><a href="/graphql">GraphiQL</a><span>Try queries against the schema.</span></li>
        <li><a href="/docs/rest.md">API</a><span>Every path, every answer, every error.</span></li>
        <li><a href="/docs/quickstart.md">Docs</a><span>From an empty folder to a script that runs.</span></li>
      </ul>
      <p class="quiet">You sign in with a token: <code>npm start</code> prints one on the first start.</p>
    </div>`
  }
}

if (readSession() === null) openPublicPage({ element: 'front-page', type: FrontPage })
else location.replace('/playground')
