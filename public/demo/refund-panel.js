/** The refund buttons. They ask the shop's own back end, which asks Kassa. */
import { amountText, setText } from './drawing.js'
import { say } from './words.js'

const REQUEST_TIMEOUT_MS = 10_000

const panel = document.querySelector('#refund')
const answer = document.querySelector('#refund-answer')
const buttons = [...panel.querySelectorAll('[data-refund]')]
let isAsking = false

/** Calls `onAccepted` when Kassa has accepted a refund, so that the page looks for its outcome. */
export function offerRefunds(paymentId, onAccepted) {
  for (const button of buttons)
    button.addEventListener('click', async () => {
      if (isAsking || button.getAttribute('aria-disabled') === 'true') return
      isAsking = true
      const isAccepted = await ask(paymentId, button.dataset.refund)
      isAsking = false
      if (isAccepted) onAccepted()
    })
}

export function drawRefund({ lookUp, refundable, refunds }) {
  const labels = { part: 'refundPart', rest: 'refundRest' }
  for (const button of buttons) {
    const amountMinor = refundable[button.dataset.refund]
    button.hidden = amountMinor === null
    if (amountMinor === null) continue
    setText(button, say(labels[button.dataset.refund], { amount: amountText(amountMinor, lookUp.currency) }))
  }
  if (buttons.some((button) => !button.hidden) || refunds.length > 0) panel.hidden = false
}

export function drawRefundDone() {
  setText(answer, say('refundDone'))
}

async function ask(paymentId, part) {
  try {
    const reply = await fetch(`/demo/api/orders/${encodeURIComponent(paymentId)}/refunds/${part}`, {
      method: 'POST',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    const { operationId, status, amountMinor, message } = await reply.json()
    if (!reply.ok) {
      setText(answer, say('refundRefused', { message: message ?? String(reply.status) }))
      return false
    }
    // Every price of this shop is in drams.
    setText(
      answer,
      say('refundAsked', { amount: amountText(amountMinor, 'AMD'), status, operation: operationId }),
    )
    return true
  } catch {
    setText(answer, say('refundFailed'))
    return false
  }
}
