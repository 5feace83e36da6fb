/** The page of the simulated vPOS: a card number, and buttons. What comes back in the address is not signed, as at the bank. */
import { escapeHtml, frame } from '../simulator/page.ts'
import type { Bank, SimPayment } from './bank.ts'
import { responseCode } from './present.ts'

type Reply = { status: number; headers?: Record<string, string>; body: string }

export function answerPage(
  bank: Bank,
  { method, url, body }: { method: string; url: string; body: string },
): Reply {
  const asked = new URL(url, 'http://vpos.invalid').searchParams
  const payment = bank.payments.get((asked.get('id') ?? '').toLowerCase())
  const lang = asked.get('lang')
  if (!payment || (lang !== null && !['am', 'ru', 'en'].includes(lang)))
    return page(404, '<h1>There is no such payment.</h1>')
  const isOpen = payment.status === 0 && !payment.isCharge && bank.now() < payment.until
  if (!isOpen) return back(payment)
  if (method === 'GET') return page(200, formOf(payment))
  const form = new URLSearchParams(body)
  if (form.get('cancel') !== null) return back(payment)
  bank.pay(payment, (form.get('card') ?? '').replaceAll(' ', ''))
  return payment.status === 0 ? page(200, formOf(payment)) : back(payment)
}

function back(payment: SimPayment): Reply {
  const url = new URL(payment.backUrl)
  url.searchParams.set('orderID', payment.number)
  url.searchParams.set('resposneCode', responseCode(payment))
  url.searchParams.set('paymentID', payment.id)
  url.searchParams.set('opaque', payment.opaque)
  url.searchParams.set('description', payment.paidAt ? 'Operation Approved ' : 'Declined')
  return { status: 302, headers: { location: url.href }, body: '' }
}

function formOf({ minor, currency, description, tries, actionCode }: SimPayment): string {
  const alert = tries > 0 ? `<p role="alert">The card was refused (${actionCode}). Try again.</p>` : ''
  return `<p>Simulated bank, test money</p><h1>${(minor / 100).toFixed(2)} (${currency})</h1><p>${escapeHtml(description)}</p>${alert}
<form method="post"><label>Card <input name="card" inputmode="numeric" autocomplete="off"></label>
<button>Pay</button><button name="cancel" value="1">Back to the shop</button></form>`
}

function page(status: number, body: string): Reply {
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  return { status, headers, body: frame('Simulated bank', body) }
}
