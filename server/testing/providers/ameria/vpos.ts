/**
 * The simulated vPOS over HTTP: a function from a request to a reply. It is poorer and stricter than the bank's: it leaves out what a shop
 * can do without, accepts no unknown field and no number outside its range, opens no second payment for a number that somebody has tried,
 * and answers pages in HTML while it is overloaded.
 */

import { escapeHtml, frame } from '../simulator.ts'
import type { Arrival } from '../simulator-server.ts'
import { type Bank, type Client, createBank, type Shop, type SimPayment } from './bank.ts'
import { OPERATIONS } from './operations.ts'
import { responseCode, toJson } from './present.ts'
import { faultOf, hasOperation } from './rules.ts'

const LOGIN = { username: 'tea19541048', password: 'planted-tea-1' }
/** The second one takes payments in two steps. */
export const CLIENTS: Record<'one' | 'two', Client> = {
  one: {
    ...LOGIN,
    id: 'C0FFEE00-0000-4000-8000-000000000001',
    numbers: [2_000_001, 2_999_999],
    steps: 'one',
  },
  two: {
    ...LOGIN,
    id: 'C0FFEE00-0000-4000-8000-000000000002',
    numbers: [2_000_001, 3_999_999],
    steps: 'two',
  },
}

const POOR: Shop = {
  clients: Object.values(CLIENTS),
  isPoor: true,
  isTestMode: false,
  leastMinor: 1,
  currencies: ['051', '840', '978'],
  lacks: new Set(),
  tries: 3,
}

type Reply = { status: number; headers?: Record<string, string>; body: string }

export function createVpos(given: Partial<Shop>, now: () => Date) {
  const shop: Shop = { ...POOR, lacks: new Set(), ...given }
  const bank = createBank(shop, now)
  const requests: { operation: string; body: Record<string, unknown> }[] = []
  let busy = 0
  let failing: { operation: string; code: string } | null = null
  return {
    bank,
    shop,
    /** Every request of an operation, in the order of arrival. */
    requests,
    /** How many of the next requests get a page in HTML. */
    overload(count: number) {
      busy = count
    },
    /** The next request of this operation is answered with this code, and nothing is done. */
    failNext(operation: string, code: string) {
      failing = { operation, code }
    },
    answer(arrival: Arrival): Reply {
      bank.work()
      const path = arrival.url.replace(/\?.*/, '')
      if (path === '/VPOS/Payments/Pay') return answerPage(bank, arrival)
      const [, operation = ''] = /^\/VPOS\/api\/VPOS\/(\w+)$/.exec(path) ?? []
      if (arrival.method !== 'POST' || !hasOperation(operation)) return html(404, 'Not Found')
      if (busy > 0) {
        busy--
        return html(200, 'The server is busy')
      }
      const body = JSON.parse(arrival.body) as Record<string, unknown>
      requests.push({ operation, body })
      if (failing?.operation === operation) {
        const { code } = failing
        failing = null
        return code === 'fault' ? fault() : json({ ResponseCode: code, ResponseMessage: '' })
      }
      const wrong = faultOf(operation, body)
      if (wrong !== null) return json({ ResponseCode: wrong, ResponseMessage: '' })
      const client =
        shop.clients.find(
          ({ id, username, password }) =>
            (body.ClientID ?? id) === id && body.Username === username && body.Password === password,
        ) ?? null
      const answer = OPERATIONS[operation]?.({ bank, body, client }) ?? null
      return answer === null ? fault() : json(answer)
    },
  }
}

const TYPE = { 'content-type': 'application/json; charset=utf-8' }
const fault = (): Reply => ({ status: 500, headers: TYPE, body: '{"Message":"An error has occurred."}' })
const json = (body: object): Reply => ({ status: 200, headers: TYPE, body: toJson(body) })

function html(status: number, title: string): Reply {
  return { status, headers: { 'content-type': 'text/html' }, body: `<html><h1>${title}</h1></html>` }
}

/** Answers the page: a card number, and buttons. What comes back in the address is not signed, as at the bank. */
function answerPage(bank: Bank, { method, url, body }: { method: string; url: string; body: string }): Reply {
  const query = new URL(url, 'http://vpos.invalid').searchParams
  const payment = bank.payments.get((query.get('id') ?? '').toLowerCase())
  const lang = query.get('lang')
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
