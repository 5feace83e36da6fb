/**
 * The simulated gateway over HTTP: a function from a request to a reply. It is poorer and stricter than the bank's: it leaves out what the
 * manual marks optional, tells an address once, accepts no unknown field, and answers pages in HTML while it is overloaded.
 */

import { escapeHtml, frame } from '../simulator.ts'
import type { Arrival } from '../simulator-server.ts'
import { type Bank, createBank, type Login, type Shop, type SimOrder } from './bank.ts'
import type { Transmission } from './callbacks.ts'
import { METHODS } from './methods.ts'
import { faultOf, hasMethod, OF_BINDINGS } from './rules.ts'

export const LOGIN: Login = { userName: 'tea_api', password: 'planted-tea-1', mustChange: false }
export const BINDING_LOGIN: Login = {
  userName: 'tea_binding_api',
  password: 'planted+&tea%2',
  mustChange: false,
}

const ARCA: Shop = {
  kind: 'arca',
  version: '03',
  isPoor: true,
  codes: 'text',
  deposited: 'stays',
  tries: 3,
  currencies: ['051', '840', '978'],
  logins: { main: LOGIN, binding: BINDING_LOGIN },
  lacks: new Set(),
  reversesPaid: true,
  callbacks: null,
}

type Reply = { status: number; headers?: Record<string, string>; body: string }

export function createGateway(
  given: Partial<Shop>,
  { now, origin, deliver }: { now(): Date; origin(): string; deliver(each: Transmission): void },
) {
  const shop: Shop = { ...structuredClone(ARCA), ...given }
  const bank = createBank(shop, now, deliver)
  const requests: { method: string; form: URLSearchParams }[] = []
  let busy = 0
  let failing: { method: string; code: number } | null = null
  return {
    bank,
    shop,
    /** Every request of a method, in the order of arrival. */
    requests,
    /** How many of the next requests get a page in HTML. */
    overload(count: number) {
      busy = count
    },
    /** The next request of this method fails with this code, and nothing is done. */
    failNext(method: string, code: number) {
      failing = { method, code }
    },
    answer(arrival: Arrival): Reply {
      bank.work()
      const path = arrival.url.replace(/\?.*/, '')
      if (path.startsWith('/payment/merchants/')) return answerPage(bank, arrival)
      const [, method = ''] = /^\/payment\/rest\/(\w+\.do)$/.exec(path) ?? []
      if (arrival.method !== 'POST' || !hasMethod(shop.kind, method)) return html(404, 'Not Found')
      if (busy > 0) {
        busy--
        return html(200, 'The server is busy')
      }
      const form = new URLSearchParams(arrival.body)
      requests.push({ method, form })
      const fails = failing?.method === method ? failing.code : null
      if (fails !== null) failing = null
      const { code, fields } = fails === null ? act({ bank, method, form, origin }) : { code: fails }
      return json(wordsOf(bank, method, code, fields))
    },
  }
}

type FormRequest = { bank: Bank; method: string; form: URLSearchParams; origin(): string }

function act({ bank, method, form, origin }: FormRequest): { code: number; fields?: object } {
  const { shop } = bank
  const own = shop.logins[OF_BINDINGS.includes(method) ? 'binding' : 'main']
  const isIn = form.get('userName') === own.userName && form.get('password') === own.password
  if (!isIn || own.mustChange || shop.lacks.has(method)) return { code: 5 }
  const fault = faultOf(shop.kind, method, form)
  if (fault !== null) return { code: fault }
  return METHODS[method]?.(bank, form, origin()) ?? { code: 7 }
}

/** The answer of a method. The code is absent or in one of several forms, and a charge has it in `success`. */
function wordsOf({ shop }: Bank, method: string, code: number, fields: object = {}): object {
  if (method === 'paymentOrderBinding.do')
    return {
      info: 'Operation declined',
      ...fields,
      ...(shop.kind === 'arca' ? { success: code } : { errorCode: code }),
    }
  if (code === 0 && shop.isPoor) return fields
  const shown = shop.codes === 'number' ? code : String(code)
  const message = code === 0 ? 'Успешно' : 'Ошибка'
  if (shop.codes === 'capitals') return { ...fields, ErrorCode: shown, ErrorMessage: message }
  return {
    ...fields,
    errorCode: shown,
    errorMessage: message,
    errorCodeString: String(code),
    error: code !== 0,
  }
}

function html(status: number, title: string): Reply {
  return { status, headers: { 'content-type': 'text/html' }, body: `<html><h1>${title}</h1></html>` }
}

function json(body: object): Reply {
  const headers = { 'content-type': 'application/json; charset=UTF-8' }
  return { status: 200, headers, body: JSON.stringify(body) }
}

/** Answers the page: a card number, and buttons. After a card that is refused the buyer may try again. */
function answerPage(bank: Bank, { method, url, body }: { method: string; url: string; body: string }): Reply {
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
