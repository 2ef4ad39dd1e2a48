import { html } from 'lit'
import '../shell/copy-button.ts'

/** Shows a new secret once. Enter does nothing in its field, so that no key closes the dialog by accident. */
export function viewSecret(secret: string, onDone: () => void) {
  return html`<p>Give this secret to the sender. It is shown this once.</p>
    <label for="new-secret">New secret</label>
    <textarea id="new-secret" class="new-secret" rows="3" readonly .value=${secret}></textarea>
    <div class="actions">
      <copy-button .text=${secret} what="secret"></copy-button>
      <button type="button" class="main" @click=${onDone}>Done</button>
    </div>`
}

/** The fields that ask for a new secret of a webhook. */
export function viewRotation(name: string) {
  return html`<p>
      ${name} accepts the new secret at once. Choose how long the sender may go on with the earlier ones.
    </p>
    <label for="overlap">Earlier secrets</label>
    <select id="overlap" name="overlapHours">
      <option value="24">Stay valid for 24 hours</option>
      <option value="0">End at once</option>
    </select>
    ${viewSecretField()}`
}

/** The field for a secret that the sender chose. */
export function viewSecretField() {
  return html`<label for="webhook-secret">Secret of the sender</label>
    <input id="webhook-secret" name="secret" class="secret" autocomplete="off" aria-describedby="secret-note" />
    <p id="secret-note" class="quiet">Leave it empty, and Rostrum makes one.</p>`
}
