/**
 * The install page while it is used: every change asks the server for the same page with the new options, and takes over
 * what follows from them; so does a question to the doctor. Without this script the forms do the same by themselves.
 * Law: what the doctor is asked is posted, and stands in no address.
 */

const WAIT_MS = 150
const REQUEST_TIMEOUT_MS = 10_000
const COPIED_FOR_MS = 2_000
/** By form, the parts of the page that follow from it. */
const LIVE = {
  install: ['#preview', '#snippets', '#return-fault', '.languages'],
  doctor: ['#doctor-answer', '#kept', '.languages'],
}

const options = document.querySelector('#install')
const doctor = document.querySelector('#doctor')
const pressed = document.querySelector('#pressed')
const latest = { install: 0, doctor: 0 }
let timer

/** What the page cannot have without a script: copy buttons, and the theme, which is no attribute of the markup. */
function enhance() {
  for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false
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
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  // A slower answer to an earlier question comes too late.
  if (turn !== latest[form.id]) return
  const open = document.querySelector('#snippets details[open]')?.id
  for (const place of LIVE[form.id]) {
    const now = document.querySelector(place)
    const next = page.querySelector(place)
    // The node itself stays: a region that is announced has to be there before it changes.
    if (now && next) now.replaceChildren(...next.childNodes)
  }
  for (const each of document.querySelectorAll('#snippets details')) each.open = each.id === open
  if (pressed) pressed.textContent = ''
  history.replaceState(null, '', addressNow())
  doctor.action = `${addressNow()}#doctor-title`
  enhance()
}

/** Where the live way fails, the form's own way is still there. */
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

if (options) {
  document.documentElement.dataset.script = 'on'
  enhance()
  // Only now, when a press is already caught above, may there be a button.
  const { widget } = document.querySelector('#preview')?.dataset ?? {}
  if (widget)
    document.head.append(Object.assign(document.createElement('script'), { async: true, src: widget }))
}
