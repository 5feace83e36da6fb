/** The page after the return. It shows what the shop's server knows and decides nothing itself. */
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
/** The number of the newest watch. An earlier watch ends when it sees that a newer one has started. */
let current = 0
/** The requested refund is complete when the timeline has this many changes. */
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

/** Returns true if nothing on this page will change any more, including the receipt. */
function isSettled({ mayShip, lookUp }) {
  const { status, fiscalStatus } = lookUp
  if (changesAwaited > 0 || fiscalStatus === 'pending') return false
  const isBack = WENT_BACK.includes(status)
  // If the receipt does not include this refund yet, the next receipt is being printed.
  if (isBack && ['issued', ...WENT_BACK].includes(fiscalStatus)) return fiscalStatus === status
  return mayShip === true || isBack
}

async function watch(id) {
  const watchNumber = ++current
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS
  for (
    let waitMs = FIRST_WAIT_MS;
    Date.now() < giveUpAt;
    waitMs = Math.min(waitMs * WAIT_GROWTH, LONGEST_WAIT_MS)
  ) {
    const { order, trouble } = await ask(id)
    if (watchNumber !== current) return
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
