/** Draws what the shop knows and whether it ships. All values from responses are shown as text, never as markup. */
import { amountText, element, fill, setText, timeText } from './drawing.js'
import { say } from './words.js'

const verdict = document.querySelector('#verdict')
const headline = document.querySelector('#headline')
const why = document.querySelector('#why')
const ship = document.querySelector('#ship')

const ENDED_UNPAID = ['failed', 'cancelled', 'expired']
const WENT_BACK = { refunded: 'wentBack', reversed: 'wentBack', partially_refunded: 'partWentBack' }

let mayShip = false
let isShipped = false

ship.addEventListener('click', () => {
  if (!mayShip || isShipped) return
  isShipped = true
  drawVerdict('shipped', say('onItsWay'), say('onItsWayText'))
  setText(ship, say('shipped'))
  ship.setAttribute('aria-disabled', 'true')
})

export function drawReturn(paymentId, merchantOrderId) {
  fill(document.querySelector('#return'), [
    [say('payment'), paymentId ?? say('notNamed')],
    [say('order'), merchantOrderId ?? say('notNamed')],
  ])
}

export function drawOrder(order) {
  drawLookUp(order.lookUp)
  drawEvent(order.event)
  drawSteps(Array.isArray(order.steps) ? order.steps : [])
  const status = order.lookUp?.status
  mayShip = order.mayShip === true
  const back = WENT_BACK[status]
  if (isShipped && !back) return
  const hasEnded = ENDED_UNPAID.includes(status)
  const state = mayShip ? 'may-ship' : hasEnded || back ? 'ended' : 'waiting'
  const title = mayShip ? 'mayLeave' : (back ?? (hasEnded ? 'notPaid' : 'notYet'))
  drawVerdict(state, say(title), say(`why_${order.why}`))
  ship.setAttribute('aria-disabled', String(!mayShip || isShipped))
}

/** After the shop's server has allowed the shipping, a later failed look-up does not change that. */
export function drawTrouble(key) {
  if (!mayShip) drawVerdict('trouble', say('welcomeBack'), say(key))
}

function drawVerdict(state, title, text) {
  verdict.dataset.state = state
  setText(headline, title)
  setText(why, text)
}

function drawLookUp(lookUp) {
  if (lookUp == null) return
  const isProof = lookUp.status === 'paid'
  drawSource('#look-up', isProof, [
    [say('status'), lookUp.status],
    [say('amount'), amountText(lookUp.amountMinor, lookUp.currency)],
    [say('receipt'), lookUp.fiscalStatus],
    [say('askedAt'), timeText(lookUp.checkedAt)],
  ])
}

function drawEvent(event) {
  if (event == null) return
  drawSource('#event', event.signatureVerified === true && event.status === 'paid', [
    [say('status'), event.status],
    [say('signature'), say('verified')],
    [say('event'), event.id],
    [say('arrived'), timeText(event.receivedAt)],
  ])
}

function drawSource(selector, isProof, facts) {
  const source = document.querySelector(selector)
  source.dataset.proof = isProof ? 'yes' : 'no'
  setText(source.querySelector('.mark'), say(isProof ? 'proof' : 'noProof'))
  fill(source.querySelector('dl'), facts)
}

function drawSteps(steps) {
  if (steps.length === 0) return
  const items = steps.map(({ key, done, status }) => {
    const item = element('li', '')
    item.dataset.done = String(done === true)
    const state = element('span', say(done === true ? 'done' : 'open'))
    state.className = 'state'
    const text = element('p', say(`step_${key}Text`, { status: status ?? '' }))
    item.append(element('b', say(`step_${key}`)), ' ', state, text)
    return item
  })
  document.querySelector('#steps').replaceChildren(...items)
}
