/** The simulated Idram with its own HTTP server: the page to which a buyer's browser posts the form, and its buttons. */
import { minorOf } from '../../../providers/idram/amount.ts'
import { escapeHtml, frame } from '../simulator.ts'
import { type Arrival, serveSimulator } from '../simulator-server.ts'
import { type Bill, createWallet, type Wallet, type WalletSetup } from './wallet.ts'

export const ACCOUNT = { account: '100000114', secret: 'local-test-secret' }
const FORM_PATH = '/Payment/GetPayment'
const PAY_PATH = '/pay'

export type IdramServer = Awaited<ReturnType<typeof startIdramServer>>

/** It knows no address of a shop until a test sets it. It adds nothing that its document does not promise, and repeats nothing. */
export async function startIdramServer(now: () => Date, changes: Partial<WalletSetup> = {}) {
  const setup: WalletSetup = {
    ...ACCOUNT,
    resultUrl: 'http://127.0.0.1:9/',
    successUrl: 'http://127.0.0.1:9/',
    failUrl: 'http://127.0.0.1:9/',
    amounts: 'two_digits',
    text: null,
    retries: 0,
    pause: async () => {},
    ...changes,
  }
  const wallet = createWallet(setup, now)
  const server = await serveSimulator((arrival) => answer(wallet, arrival))
  return { ...wallet, origin: server.origin, address: `${server.origin}${FORM_PATH}`, close: server.close }
}

async function answer(wallet: Wallet, { method, url, headers, body }: Arrival) {
  const { pathname } = new URL(url, 'http://idram.invalid')
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  if (method !== 'POST' || !isForm) return page(405, '<h1>Post the form of a shop.</h1>')
  const fields = decode(body)
  if (pathname === FORM_PATH) return open(wallet, fields)
  if (pathname !== PAY_PATH) return page(404, '<h1>There is no such page.</h1>')
  const { successUrl, failUrl } = wallet.setup
  const isPaid = fields?.cancel === undefined && (await wallet.pay(fields?.bill ?? ''))
  return { status: 302, headers: { location: isPaid ? successUrl : failUrl }, body: '' }
}

/** Returns null where a text is not UTF-8, or a field stands there twice. */
function decode(body: string): Record<string, string> | null {
  try {
    const pairs = body
      .split('&')
      .map((pair) => pair.split('=').map((part) => decodeURIComponent(part.replaceAll('+', ' '))))
    return new Set(pairs.map(([name]) => name)).size < pairs.length ? null : Object.fromEntries(pairs)
  } catch {
    return null
  }
}

const KNOWN = ['EDP_LANGUAGE', 'EDP_REC_ACCOUNT', 'EDP_DESCRIPTION', 'EDP_AMOUNT', 'EDP_BILL_NO', 'EDP_EMAIL']

/** Stricter than Idram may be: it wants each field in the form of its document, and no unknown one of its own. */
function open({ setup, bills }: Wallet, fields: Record<string, string> | null) {
  const refuse = (why: string) =>
    page(200, `<h1>The payment cannot be made.</h1><p role="alert">${escapeHtml(why)}</p>`)
  if (!fields) return refuse('The form is not in UTF-8, or names a field twice.')
  const unknown = Object.keys(fields).find((name) => name.startsWith('EDP_') && !KNOWN.includes(name))
  if (unknown) return refuse(`${unknown} is not known.`)
  if (fields.EDP_REC_ACCOUNT !== setup.account) return refuse('There is no such shop.')
  if (!['AM', 'RU', 'EN'].includes(fields.EDP_LANGUAGE ?? '')) return refuse('The language is not known.')
  const amount = fields.EDP_AMOUNT ?? ''
  if (!/^\d+(\.\d{1,2})?$/.test(amount) || (minorOf(amount) ?? 0) <= 0) return refuse('The amount is wrong.')
  if (!fields.EDP_BILL_NO) return refuse('There is no bill.')
  const bill: Bill = {
    number: fields.EDP_BILL_NO,
    amount: twoDigits(amount),
    language: fields.EDP_LANGUAGE ?? '',
    description: fields.EDP_DESCRIPTION ?? '',
    email: fields.EDP_EMAIL ?? null,
  }
  bills.set(bill.number, bill)
  return page(200, formOf(bill))
}

const twoDigits = (amount: string) => {
  const [whole = '', part = ''] = amount.split('.')
  return `${whole}.${part.padEnd(2, '0')}`
}

function formOf({ number, amount, description }: Bill): string {
  return `<p>Simulated Idram, test money</p><h1>${escapeHtml(amount)} AMD</h1><p>${escapeHtml(description)}</p>
<form method="post" action="${PAY_PATH}"><input type="hidden" name="bill" value="${escapeHtml(number)}">
<button>Pay</button><button name="cancel" value="1">Cancel</button></form>`
}

function page(status: number, body: string) {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: frame('Simulated Idram', body),
  }
}
