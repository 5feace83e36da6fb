/** The page of the simulated gateway: a card number, and buttons. After a card that is refused the buyer may try again. */
import { escapeHtml, frame } from '../simulator/page.ts'
import type { Bank, SimOrder } from './bank.ts'

type Reply = { status: number; headers?: Record<string, string>; body: string }

export function answerPage(
  bank: Bank,
  { method, url, body }: { method: string; url: string; body: string },
): Reply {
  const id = new URL(url, 'http://gateway.invalid').searchParams.get('mdOrder') ?? ''
  const order = bank.orders.get(id)
  if (!order) return page(404, '<h1>There is no such order.</h1>')
  if (method === 'GET' && order.status === 0) return page(200, formOf(order))
  if (order.status !== 0) return back(order)
  const form = new URLSearchParams(body)
  if (form.get('cancel') !== null) return back(order)
  bank.pay(order, (form.get('card') ?? '').replaceAll(' ', ''))
  return order.status === 0 ? page(200, formOf(order)) : back(order)
}

/** The gateway appends its own id to the address of the shop. */
function back({ returnUrl, id, language }: SimOrder): Reply {
  const url = new URL(returnUrl)
  url.searchParams.set('orderId', id)
  url.searchParams.set('lang', language ?? 'ru')
  return { status: 302, headers: { location: url.href }, body: '' }
}

function formOf({ amount, currency, description, tries, actionCode }: SimOrder): string {
  const alert = tries > 0 ? `<p role="alert">The card was refused (${actionCode}). Try again.</p>` : ''
  return `<p>Simulated gateway, test money</p><h1>${amount / 100} (${currency})</h1><p>${escapeHtml(description)}</p>${alert}
<form method="post"><label>Card <input name="card" inputmode="numeric" autocomplete="off"></label>
<button>Pay</button><button name="cancel" value="1">Back to the shop</button></form>`
}

function page(status: number, body: string): Reply {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: frame('Simulated gateway', body),
  }
}
