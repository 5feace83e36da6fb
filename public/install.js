/**
 * Keeps the install page up to date while somebody uses it. After every change it asks the server for the same page with
 * the new options and takes over the parts that depend on them. A question to the doctor works the same way. Without this
 * script the forms do the same by themselves.
 * Rule: what somebody asks the doctor is posted and never part of an address, because it may contain a secret.
 */

const WAIT_MS = 150
const REQUEST_TIMEOUT_MS = 10_000
const COPIED_FOR_MS = 2_000
/** The parts of the page that depend on each form. */
const LIVE = {
  install: ['#share', '#preview', '#preview-dark', '#contrast', '#snippets', '#return-fault', '.languages'],
  doctor: ['#doctor-answer', '#kept', '.languages'],
}

const options = document.querySelector('#install')
const doctor = document.querySelector('#doctor')
const pressed = document.querySelector('#pressed')
const latest = { install: 0, doctor: 0 }
let timer

/** Adds what needs a script: the copy buttons, and the theme, which has no attribute in the markup. */
function enhance() {
  for (const button of document.querySelectorAll('[data-copy], [data-print]')) button.hidden = false
  for (const element of document.querySelectorAll('kassa-pay'))
    for (const [property, value] of JSON.parse(element.dataset.theme))
      element.style.setProperty(property, value)
}

function addressNow() {
  const entries = [...new FormData(options)].filter(([, value]) => value !== '')
  return `${location.pathname}?${new URLSearchParams(entries)}`
}

async function update(form) {
  const turn = ++latest[form.id]
  const question = form === doctor ? { method: 'POST', body: new URLSearchParams(new FormData(form)) } : {}
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const answer = await fetch(addressNow(), { ...question, signal })
  if (!answer.ok) throw new Error(`the server returned ${answer.status}`)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  // A newer question has been sent in the meantime, so this answer is out of date.
  if (turn !== latest[form.id]) return
  const open = document.querySelector('#snippets details[open]')?.id
  for (const place of LIVE[form.id]) {
    const now = document.querySelector(place)
    const next = page.querySelector(place)
    // The node itself stays. A screen reader announces a change only in a region that was there before.
    if (now && next) now.replaceChildren(...next.childNodes)
  }
  for (const each of document.querySelectorAll('#snippets details')) each.open = each.id === open
  if (pressed) pressed.textContent = ''
  history.replaceState(null, '', addressNow())
  if (doctor) doctor.action = `${addressNow()}#doctor-title`
  enhance()
}

/** Updates the page in place. If that fails, the browser submits the form as usual. */
function show(form) {
  update(form).catch((error) => {
    console.error(`Install page: ${error.message}`)
    form.submit()
  })
}

options?.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(show, WAIT_MS, options)
})

for (const form of [options, doctor])
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    show(form)
  })

document.addEventListener('click', async ({ target }) => {
  if (target.closest?.('[data-print]')) print()
  const button = target.closest?.('[data-copy]')
  if (!button) return
  const code = document.getElementById(button.dataset.copy)
  const label = button.dataset.label ?? button.textContent
  button.dataset.label = label
  try {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = button.dataset.copied
  } catch {
    getSelection().selectAllChildren(code)
    button.textContent = button.dataset.byHand
  }
  setTimeout(() => {
    button.textContent = label
  }, COPIED_FOR_MS)
})

document.addEventListener('kassa-pay:click', (event) => {
  event.preventDefault()
  pressed.textContent = pressed.dataset.text
})

document.documentElement.dataset.script = 'on'
enhance()
if (options) {
  // The button loads last, because the listener above has to catch every press of it.
  const { widget } = document.querySelector('#preview')?.dataset ?? {}
  if (widget)
    document.head.append(Object.assign(document.createElement('script'), { async: true, src: widget }))
}
