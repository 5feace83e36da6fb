/** Draws the rest of the tour: what happened, the receipt, and the same steps for a terminal. */
import { amountText, element, setText, timeText } from './drawing.js'
import { has, say } from './words.js'

const at = (id) => document.getElementById(id)

export function drawStory(order) {
  drawTimeline(order.timeline)
  drawReceipt(order.lookUp)
  drawEventText(order.event)
  const { checkedAt: _, ...session } = order.lookUp
  setText(at('look-up-text'), JSON.stringify(session, null, 2))
  drawCommands(order)
}

function drawTimeline(timeline) {
  const items = timeline.map(({ at: moment, status, by }) => {
    const item = element('li', '')
    item.dataset.status = status
    const time = element('time', timeText(moment))
    time.dateTime = moment
    const source = element('small', say(`by_${by}`))
    item.append(time, ' ', element('b', status), ' ', source)
    return item
  })
  const list = at('timeline')
  // Redraw the list only if it has grown. Otherwise a screen reader would read it again.
  if (list.dataset.drawn !== String(items.length)) list.replaceChildren(...items)
  list.dataset.drawn = String(items.length)
}

function drawReceipt({ fiscalStatus, amountMinor, currency }) {
  const isPrinted = ['issued', 'partially_refunded', 'refunded'].includes(fiscalStatus)
  at('receipt').dataset.status = fiscalStatus
  setText(at('receipt-sum'), isPrinted ? amountText(amountMinor, currency) : '')
  setText(
    at('receipt-text'),
    say(has(`receipt_${fiscalStatus}`) ? `receipt_${fiscalStatus}` : 'receipt_none'),
  )
}

function drawEventText(event) {
  if (event == null) return
  const headers = Object.entries(event.headers).map(([name, value]) => `${name}: ${value}\n`)
  setText(at('event-text'), `POST /demo/callback\n${headers.join('')}\n${event.body}`)
}

function drawCommands({ paymentId, lookUp, refundable }) {
  const token = `-H "Authorization: Bearer $TOKEN"`
  const { origin } = location
  // The commands use the address under which the reader has opened this page.
  const id = encodeURIComponent(paymentId)
  setText(at('look-up-curl'), `curl -s '${origin}/v1/payments?paymentId=${id}' ${token}`)
  const body = JSON.stringify({ amountMinor: refundable.rest ?? lookUp.amountMinor, reason: 'By hand' })
  setText(
    at('refund-curl'),
    `curl -s ${origin}/v1/payments/${id}/refunds ${token} \\\n  -H 'Content-Type: application/json' -H 'Idempotency-Key: by-hand-1' \\\n  -d '${body}'`,
  )
  setText(at('operator-curl'), `npm run -s admin -- payment show --payment ${id}`)
}
