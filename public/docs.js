/** Adds a button to each block of code, which copies its text. Without this script readers select the text themselves. */

const COPIED_FOR_MS = 2_000
const { copy, copied } = document.currentScript.dataset
// Browsers have no clipboard on a page without https.
const blocks = navigator.clipboard ? document.querySelectorAll('figure.code') : []

const status = document.createElement('p')
status.className = 'unseen'
status.setAttribute('role', 'status')
document.body.append(status)

for (const block of blocks) {
  const text = block.querySelector('pre')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = copy
  button.setAttribute('aria-label', `${copy}: ${text.getAttribute('aria-label')}`)
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text.textContent)
    button.textContent = copied
    status.textContent = copied
    setTimeout(() => {
      button.textContent = copy
      status.textContent = ''
    }, COPIED_FOR_MS)
  })
  block.append(button)
}
