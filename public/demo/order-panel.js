/** Draws the panel. Everything from outside becomes text nodes, never markup. */

const verdict = document.querySelector('#verdict')
const headline = document.querySelector('#headline')
const why = document.querySelector('#why')
const ship = document.querySelector('#ship')

const MINOR_UNITS = 100
const ENDED_UNPAID = ['failed', 'cancelled', 'expired']

let mayShip = false
let isShipped = false

ship.addEventListener('click', () => {
  if (!mayShip || isShipped) return
  isShipped = true
  verdict.dataset.state = 'shipped'
  setText(headline, 'On its way')
  setText(why, 'The parcel has left the shop. In this demo, of course, nothing leaves the house.')
  setText(ship, 'Shipped')
  ship.setAttribute('aria-disabled', 'true')
})

export function drawReturn(paymentId, merchantOrderId) {
  fill(document.querySelector('#return'), [
    ['Payment', paymentId ?? 'not named'],
    ['Order', merchantOrderId ?? 'not named'],
  ])
}

export function drawOrder(order) {
  drawLookUp(order.lookUp)
  drawEvent(order.event)
  drawSteps(Array.isArray(order.steps) ? order.steps : [])
  if (isShipped) return
  mayShip = order.mayShip === true
  const hasEnded = ENDED_UNPAID.includes(order.lookUp?.status)
  verdict.dataset.state = mayShip ? 'may-ship' : hasEnded ? 'ended' : 'waiting'
  setText(headline, mayShip ? 'Paid. The parcel may leave.' : hasEnded ? 'Not paid' : 'Not yet')
  setText(why, String(order.why ?? ''))
  ship.setAttribute('aria-disabled', String(!mayShip))
}

/** Trouble takes no permission away: what the server confirmed once stays confirmed. */
export function drawTrouble(text) {
  if (mayShip) return
  verdict.dataset.state = 'trouble'
  setText(headline, 'Welcome back')
  setText(why, text)
}

function drawLookUp(lookUp) {
  if (lookUp == null) return
  const isProof = lookUp.status === 'paid'
  drawSource('#look-up', isProof, isProof ? 'Counts as proof' : 'No proof of payment', [
    ['Status', lookUp.status],
    ['Amount', amountText(lookUp.amountMinor, lookUp.currency)],
    ['Receipt', lookUp.fiscalStatus],
    ['Asked at', timeText(lookUp.checkedAt)],
  ])
}

function drawEvent(event) {
  if (event == null) return
  const isProof = event.signatureVerified === true && event.status === 'paid'
  const unpaid = event.signatureVerified === true ? 'No proof of payment' : 'Signature is wrong'
  drawSource('#event', isProof, isProof ? 'Counts as proof' : unpaid, [
    ['Status', event.status],
    ['Signature', event.signatureVerified === true ? 'verified' : 'not verified'],
    ['Event', event.id],
    ['Arrived', timeText(event.receivedAt)],
  ])
}

function drawSource(selector, isProof, mark, facts) {
  const source = document.querySelector(selector)
  source.dataset.proof = isProof ? 'yes' : 'no'
  setText(source.querySelector('.mark'), mark)
  fill(source.querySelector('dl'), facts)
}

function drawSteps(steps) {
  if (steps.length === 0) return
  const items = steps.map((step) => {
    const item = element('li', '')
    item.dataset.done = String(step.done === true)
    const state = element('span', step.done === true ? 'Done' : 'Open')
    state.className = 'state'
    item.append(element('b', step.label), ' ', state)
    if (step.detail) item.append(element('p', step.detail))
    return item
  })
  document.querySelector('#steps').replaceChildren(...items)
}

function fill(list, facts) {
  const rows = facts.map(([name, value]) => {
    const row = element('div', '')
    row.append(element('dt', name), element('dd', value))
    return row
  })
  list.replaceChildren(...rows)
}

function element(name, text) {
  const made = document.createElement(name)
  made.textContent = text ?? ''
  return made
}

/** Only a real change is written, so that a screen reader does not repeat the sentence at every look-up. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

function amountText(amountMinor, currency) {
  if (!Number.isSafeInteger(amountMinor)) return 'unknown'
  const isWholeDram = currency === 'AMD' && amountMinor % MINOR_UNITS === 0
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }
  const decimals = isWholeDram ? 0 : 2
  const format = { ...style, minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat('en', format).format(amountMinor / MINOR_UNITS)
}

function timeText(iso) {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? 'unknown' : time.toLocaleTimeString('en', { hourCycle: 'h23' })
}
