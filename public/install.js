/**
 * The install page while it is used: every change asks the server for the same page with the new options, and takes over
 * the preview, the snippets, the doctor's answer and the links to the other languages. Without this script the form does the same by itself.
 */

const WAIT_MS = 150
const REQUEST_TIMEOUT_MS = 10_000
const COPIED_FOR_MS = 2_000
const LIVE = ['#preview', '#snippets', '#doctor-answer', '.languages']

const form = document.querySelector('#install')
const pressed = document.querySelector('#pressed')
let timer
let latest = 0

/** What the page cannot have without a script: copy buttons, and the theme, which is no attribute of the markup. */
function enhance() {
  for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false
  for (const element of document.querySelectorAll('kassa-pay'))
    for (const [property, value] of JSON.parse(element.dataset.theme))
      element.style.setProperty(property, value)
}

async function update(submitter) {
  const turn = ++latest
  const entries = [...new FormData(form, submitter)].filter(([, value]) => value !== '')
  const address = `${location.pathname}?${new URLSearchParams(entries)}`
  const answer = await fetch(address, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  // A slower answer to an earlier question comes too late.
  if (turn !== latest) return
  const open = document.querySelector('#snippets details[open]')?.id
  for (const place of LIVE) {
    const now = document.querySelector(place)
    const next = page.querySelector(place)
    // The node itself stays: a region that is announced has to be there before it changes.
    if (now && next) now.replaceChildren(...next.childNodes)
  }
  for (const each of document.querySelectorAll('#snippets details')) each.open = each.id === open
  if (pressed) pressed.textContent = ''
  history.replaceState(null, '', address)
  enhance()
}

/** Where the live way fails, the form's own way is still there. */
function show(submitter) {
  clearTimeout(timer)
  update(submitter).catch((error) => {
    console.error(`Install page: ${error.message}`)
    form.submit()
  })
}

form?.addEventListener('input', ({ target }) => {
  if (target.closest('.options') === null) return
  clearTimeout(timer)
  timer = setTimeout(show, WAIT_MS)
})

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  show(event.submitter)
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

if (form) {
  document.documentElement.dataset.script = 'on'
  enhance()
  // Only now, when a press is already caught above, may there be a button.
  const { widget } = document.querySelector('#preview')?.dataset ?? {}
  if (widget)
    document.head.append(Object.assign(document.createElement('script'), { async: true, src: widget }))
}
