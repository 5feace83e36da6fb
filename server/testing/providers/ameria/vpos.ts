/**
 * The simulated vPOS over HTTP: a function from a request to a reply. It is poorer and stricter than the bank's: it leaves out what a shop
 * can do without, accepts no unknown field and no number outside its range, opens no second payment for a number that somebody has tried,
 * and answers pages in HTML while it is overloaded.
 */
import type { Arrival } from '../simulator-server.ts'
import { type Client, createBank, type Shop } from './bank.ts'
import { OPERATIONS } from './operations.ts'
import { answerPage } from './page.ts'
import { toJson } from './present.ts'
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

export const POOR: Shop = {
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
    /** So many requests from now on get a page in HTML. */
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
