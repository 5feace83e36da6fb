/** The console works without this script. With it, people can sign in with a passkey. */

const CALLS = {
  create: (options) =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  get: (options) =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
}

/** Older browsers have passkeys, but not these functions. Their people use a password and a code. */
const hasPasskeys =
  typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function' &&
  typeof PublicKeyCredential.prototype.toJSON === 'function'

async function ask(form) {
  const response = await fetch(`${form.action}/options`, { method: 'POST' })
  if (!response.ok) throw new Error(String(response.status))
  const credential = await CALLS[form.dataset.passkey](await response.json())
  form.elements.json.value = JSON.stringify(credential.toJSON())
  form.submit()
}

for (const form of hasPasskeys ? document.querySelectorAll('form[data-passkey]') : []) {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const status = form.querySelector('[role=status]')
    status.textContent = ''
    ask(form).catch(() => {
      status.textContent = form.dataset.failed
    })
  })
}
