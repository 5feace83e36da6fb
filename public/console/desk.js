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

/** An act that asks for the passkey once more: the form goes with its answer. A typed code goes without one. */
for (const part of hasPasskeys ? document.querySelectorAll('[data-again]') : []) {
  const { form } = part
  form.addEventListener('submit', (event) => {
    if (event.submitter?.name === 'back' || form.elements.json.value || form.elements.code?.value) return
    event.preventDefault()
    CALLS.get(JSON.parse(part.dataset.again))
      .then((credential) => {
        form.elements.json.value = JSON.stringify(credential.toJSON())
        form.submit()
      })
      .catch(() => {
        part.querySelector('[role=status]').textContent = part.dataset.failed
      })
  })
}

/**
 * Photos of telephones are too large to send on a slow line, and some are in formats that only the browser reads. Each is drawn
 * smaller before it is sent, the right way up. A small picture of an accepted format is sent as it is.
 */
const PHOTO_SIDE = 1_600
const SMALL_BYTES = 1_000_000

async function smaller(file) {
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' })
  const scale = Math.min(1, PHOTO_SIDE / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height)
  // A logo may be transparent, and a JPEG never is.
  const type = /png|webp|gif/.test(file.type) ? 'image/png' : 'image/jpeg'
  const bytes = await new Promise((resolve) => canvas.toBlob(resolve, type, 0.9))
  return new File([bytes], 'photo', { type })
}

/** Returns false for a photo that nobody can read. It is not sent, and the page says so. */
async function shrink(input, accepted) {
  const [file] = input.files
  const status = input.parentElement.querySelector('[role=status]')
  status.textContent = ''
  const isAccepted = file && accepted.includes(file.type)
  if (!file || (isAccepted && file.size <= SMALL_BYTES)) return true
  try {
    const chosen = new DataTransfer()
    chosen.items.add(await smaller(file))
    // Somebody may have chosen another one meanwhile.
    if (input.files[0] === file) input.files = chosen.files
  } catch {
    if (input.files[0] === file && !isAccepted) {
      input.value = ''
      status.textContent = input.dataset.photo
      return false
    }
  }
  return true
}

for (const input of document.querySelectorAll('[data-photo]')) {
  const accepted = input.accept.split(',')
  let working = null
  input.accept = 'image/*'
  input.addEventListener('change', () => {
    const work = shrink(input, accepted).finally(() => {
      if (working === work) working = null
    })
    working = work
  })
  input.form.addEventListener('submit', async (event) => {
    if (!working) return
    event.preventDefault()
    const { submitter } = event
    if (await working) input.form.requestSubmit(submitter)
  })
}

/** A browser that waits asks only while its page is seen. */
const pause = async (seconds) => {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  if (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}

/** Texts that are handed on: a link to pay, an invitation, a secret. An address can also be shared as the phone shares. */
const HANDED_ON = '.secret, .pay-link'

function addHandingOn(text) {
  if (text.nextElementSibling?.matches('.handing-on')) return
  const words = JSON.parse(document.querySelector('main').dataset.words)
  const content = text.textContent.trim()
  const line = Object.assign(document.createElement('span'), { className: 'handing-on' })
  const status = document.createElement('span')
  status.setAttribute('role', 'status')
  const add = (label, act) => {
    const button = Object.assign(document.createElement('button'), {
      type: 'button',
      className: 'button quiet',
    })
    button.textContent = label
    button.addEventListener('click', act)
    line.append(button)
  }
  // Without permission the text is marked, so that a person can copy it.
  const copy = () =>
    navigator.clipboard.writeText(content).then(
      () => {
        line.append(status)
        status.textContent = words.copied
      },
      () => getSelection().selectAllChildren(text),
    )
  if (navigator.clipboard) add(words.copy, copy)
  if (navigator.share && /^https?:/.test(content))
    add(words.share, () => navigator.share({ url: content }).catch(() => {}))
  if (line.childElementCount > 0) text.after(line)
}

/** What is only of use with a script: it is shown now, and what stands there instead of it is hidden. */
function prepare(part) {
  for (const button of part.querySelectorAll('[data-print]')) button.hidden = false
  // A page that is not served by https, nor by localhost, may not write into the clipboard.
  for (const button of part.querySelectorAll('[data-copy]')) button.hidden = !navigator.clipboard
  for (const hint of part.querySelectorAll('[data-without-script]')) hint.hidden = true
  for (const text of part.querySelectorAll(HANDED_ON)) addHandingOn(text)
}

document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-print], [data-copy]')
  if (!button) return
  if (button.dataset.print !== undefined) return print()
  const status = button.parentElement.querySelector('[role=status]')
  status.textContent = ''
  navigator.clipboard
    .writeText(document.getElementById(button.dataset.copy).textContent)
    .then(() => {
      status.textContent = button.dataset.done
    })
    // Without permission the text is marked, so that a person can copy it.
    .catch(() => getSelection().selectAllChildren(document.getElementById(button.dataset.copy)))
})

/** Exchanges the content. What was opened stays open, and the place of the keyboard stays where it was. */
function exchange(part, nodes) {
  const opened = [...part.querySelectorAll('details[open] > summary')].map((each) => each.textContent)
  const at = part.contains(document.activeElement) ? document.activeElement : null
  part.replaceChildren(...nodes)
  prepare(part)
  for (const summary of part.querySelectorAll('details > summary'))
    if (opened.includes(summary.textContent)) summary.parentElement.open = true
  const href = at?.getAttribute('href')
  const same =
    at?.localName === 'summary'
      ? [...part.querySelectorAll('summary')].find((each) => each.textContent === at.textContent)
      : href && [...part.querySelectorAll('a')].find((each) => each.getAttribute('href') === href)
  if (same) same.focus({ preventScroll: true })
}

/** Exchanges the part of the page when the server has something else to show. The server says when to look again, and when no more. */
async function watch(part) {
  const address = new URL(location.href)
  let seconds = Number(part.dataset.pause)
  for (let looks = 1; seconds > 0 && looks <= 100; looks++) {
    await pause(seconds)
    address.searchParams.set('live', looks)
    address.searchParams.set('mark', part.dataset.live)
    const answer = await fetch(address).catch(() => null)
    // Without an answer the same pause comes again.
    if (answer === null || answer.status === 429 || answer.status >= 500) continue
    const page =
      answer.status === 200 ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null
    const next = page?.querySelector('[data-live]')
    // Such as the page for signing in.
    if (answer.status !== 204 && !next) return location.reload()
    if (next) {
      document.title = page.title
      part.dataset.live = next.dataset.live
      exchange(part, next.childNodes)
    }
    seconds = Number(answer.headers.get('retry-after'))
  }
}

for (const part of document.querySelectorAll('[data-live][data-pause]')) watch(part)

prepare(document)
