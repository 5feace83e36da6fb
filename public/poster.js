/**
 * The poster studio with a script: the paper follows the choices at once, and the poster is saved or shared as a picture. Without this script the form asks for a new page, and the browser's own command prints it.
 */
import { drawPicture } from './poster-picture.js'

const REQUEST_TIMEOUT_MS = 10_000

const form = document.querySelector('#choices')
const poster = document.querySelector('#poster')
const find = (selector) => poster.querySelector(selector)
let latest = 0

const addressNow = () => `${location.pathname}?${new URLSearchParams(new FormData(form))}`

/** Shows what needs a script. */
function enhance() {
  find('[data-print]').hidden = false
  find('[data-share="address"]').hidden = !navigator.share
  find('[data-save]').hidden = false
  const file = new File([''], 'x.png', { type: 'image/png' })
  find('[data-share="picture"]').hidden = !navigator.canShare?.({ files: [file] })
  poster.dataset.ready = 'yes'
}

async function update(isOtherProduct) {
  const turn = ++latest
  const answer = await fetch(addressNow(), { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`the server returned ${answer.status}`)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  if (turn !== latest) return
  // The status stays the same node: a screen reader announces a change only in a region that was there before.
  const note = find('#paper-note')
  const next = page.querySelector('#poster')
  const nextNote = next.querySelector('#paper-note')
  if (note.textContent !== nextNote.textContent) note.textContent = nextNote.textContent
  const [warning, nextWarning] = [find('#paper-warning'), next.querySelector('#paper-warning')]
  if (warning.innerHTML !== nextWarning.innerHTML) warning.replaceChildren(...nextWarning.childNodes)
  const parts = ['.paper', '[data-share="address"]']
  for (const part of parts) find(part).replaceWith(next.querySelector(part))
  replaceParts(page, ['.languages', 'header', ...(isOtherProduct ? ['#photo-choice'] : [])])
  document.title = page.title
  delete poster.dataset.ready
  history.replaceState(null, '', addressNow())
  enhance()
}

function replaceParts(page, places) {
  for (const place of places) {
    const [now, next] = [document.querySelector(place), page.querySelector(place)]
    if (now && next) now.replaceChildren(...next.childNodes)
  }
}

/** Updates the page in place. If that fails, the browser submits the form as usual. */
function show(isOtherProduct) {
  update(isOtherProduct).catch((error) => {
    console.error(`Poster: ${error.message}`)
    form.submit()
  })
}

form.addEventListener('input', ({ target }) => show(target.name === 'product'))
form.addEventListener('submit', (event) => {
  event.preventDefault()
  show(true)
})

/** The poster as a file. Its name is the product's, so that somebody finds it again. */
async function pictureFile() {
  const canvas = await drawPicture(find('.front'), find('.paper'))
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
  const title = find('.front [data-part="name"]').textContent.trim().slice(0, 60)
  return new File([blob], `${title.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.png`, { type: 'image/png' })
}

async function save() {
  const file = await pictureFile()
  const url = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: url, download: file.name }).click()
  setTimeout(() => URL.revokeObjectURL(url), REQUEST_TIMEOUT_MS)
}

async function share(what) {
  const { address: url } = find('[data-share="address"]').dataset
  const files = what === 'address' ? {} : { files: [await pictureFile()] }
  await navigator.share({ title: document.title, url, ...files })
}

document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('button')
  if (!button) return
  if ('print' in button.dataset) print()
  if ('save' in button.dataset) save()
  // Closing the share sheet rejects too, and is no failure.
  if (button.dataset.share) share(button.dataset.share).catch(() => {})
})

const isChanged = ({ checked, defaultChecked, options = [] }) =>
  checked !== defaultChecked || [...options].some((each) => each.selected !== each.defaultSelected)

document.documentElement.dataset.script = 'on'
// On a slow line somebody may have chosen before this script was there.
if ([...form.elements].some(isChanged)) show(true)
else enhance()
