/** After the return: shows what the shop's server knows. This page decides nothing, it only draws the answer. */
import { drawOrder, drawReturn, drawTrouble } from './order-panel.js'
import { drawRefund, drawRefundDone, offerRefunds } from './refund-panel.js'
import { drawStory } from './story-panel.js'
import { say, translatePage } from './words.js'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 8_000
const WAIT_GROWTH = 1.3
const GIVE_UP_AFTER_MS = 15 * 60_000
const REQUEST_TIMEOUT_MS = 10_000

const WENT_BACK = ['partially_refunded', 'refunded']

const address = new URLSearchParams(location.search)
const paymentId = address.get('paymentId')
/** The watch that is on; an earlier one ends when it sees that it is not the last. */
let current = 0
/** How many changes the story has to have before a refund that was asked for is over. */
let changesAwaited = 0
let changesSeen = 0

async function ask(id) {
  try {
    const answer = await fetch(`/demo/api/orders/${encodeURIComponent(id)}`, {
      headers: { accept: 'application/json' },
      cache: 'no-store',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    if (answer.status === 404) return { trouble: 'trouble_unknown' }
    if (!answer.ok) return { trouble: 'trouble_silent' }
    return { order: await answer.json() }
  } catch {
    return { trouble: 'trouble_silent' }
  }
}

function draw(order) {
  drawOrder(order)
  drawStory(order)
  drawRefund(order)
  changesSeen = order.timeline.length
  if (changesAwaited > 0 && changesSeen >= changesAwaited) {
    changesAwaited = 0
    drawRefundDone()
  }
}

/** Everything is in, the receipt too: nothing on this page will change any more. */
function isSettled({ mayShip, lookUp }) {
  const { status, fiscalStatus } = lookUp
  if (changesAwaited > 0 || fiscalStatus === 'pending') return false
  const isBack = WENT_BACK.includes(status)
  // A receipt that does not tell of this refund yet: the next one is being printed.
  if (isBack && ['issued', ...WENT_BACK].includes(fiscalStatus)) return fiscalStatus === status
  return mayShip === true || isBack
}

async function watch(id) {
  const turn = ++current
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS
  for (
    let waitMs = FIRST_WAIT_MS;
    Date.now() < giveUpAt;
    waitMs = Math.min(waitMs * WAIT_GROWTH, LONGEST_WAIT_MS)
  ) {
    const { order, trouble } = await ask(id)
    if (turn !== current) return
    if (order === undefined) drawTrouble(trouble)
    else draw(order)
    if (order !== undefined && isSettled(order)) return
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
  drawTrouble('trouble_tired')
}

translatePage()
document.title = `${say('yourOrder')} · ${say('shopName')}`
drawReturn(paymentId, address.get('merchantOrderId'))
if (paymentId) {
  offerRefunds(paymentId, () => {
    changesAwaited = changesSeen + 1
    void watch(paymentId)
  })
  await watch(paymentId)
} else drawTrouble('trouble_nothing')
