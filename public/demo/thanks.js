/** After the return: shows what the shop's server knows. This page decides nothing, it only draws the answer. */
import { drawOrder, drawReturn, drawTrouble } from './order-panel.js'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 8_000
const WAIT_GROWTH = 1.3
const GIVE_UP_AFTER_MS = 15 * 60_000
const REQUEST_TIMEOUT_MS = 10_000

const TROUBLE = {
  unknown: 'The shop does not know this order. The address may be incomplete.',
  silent: 'The shop’s server did not answer. Asking again …',
  tired: 'No final answer so far. Reload the page to ask again; the shop goes on checking by itself.',
  nothing: 'This address names no payment, so there is nothing to look up. Start with the tea.',
}

const address = new URLSearchParams(location.search)
const paymentId = address.get('paymentId')

async function ask(id) {
  try {
    const answer = await fetch(`/demo/api/orders/${encodeURIComponent(id)}`, {
      headers: { accept: 'application/json' },
      cache: 'no-store',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    if (answer.status === 404) return { trouble: TROUBLE.unknown }
    if (!answer.ok) return { trouble: TROUBLE.silent }
    return { order: await answer.json() }
  } catch {
    return { trouble: TROUBLE.silent }
  }
}

/** Both proofs are in and the parcel may leave: nothing on this page will change any more. */
function isSettled(order) {
  return order.mayShip === true && order.lookUp != null && order.event != null
}

async function watch(id) {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS
  for (
    let waitMs = FIRST_WAIT_MS;
    Date.now() < giveUpAt;
    waitMs = Math.min(waitMs * WAIT_GROWTH, LONGEST_WAIT_MS)
  ) {
    const { order, trouble } = await ask(id)
    if (order === undefined) drawTrouble(trouble)
    else drawOrder(order)
    if (order !== undefined && isSettled(order)) return
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
  drawTrouble(TROUBLE.tired)
}

drawReturn(paymentId, address.get('merchantOrderId'))
if (paymentId) await watch(paymentId)
else drawTrouble(TROUBLE.nothing)
