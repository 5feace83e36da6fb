/** The simulated Idram for the conformance suite of drivers. What it posts is kept, and answered as the service does. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Opened, RawInbound } from '../../../providers/driver.ts'
import { minorOf } from '../../../providers/idram/amount.ts'
import { IdramSettings } from '../../../providers/idram/settings.ts'
import type { DriverSimulator } from '../driver-bench.ts'
import { ACCOUNT, type IdramServer, startIdramServer } from './server.ts'
import type { WalletSetup } from './wallet.ts'

export type IdramBench = DriverSimulator<IdramSettings> & { server: IdramServer }

export function settingsOf(address: string, { isWrong = false } = {}): IdramSettings {
  return IdramSettings.parse({
    REC_ACCOUNT: ACCOUNT.account,
    SECRET_KEY: isWrong ? 'key-of-somebody-else' : ACCOUNT.secret,
    CALLERS: '127.0.0.1 192.0.2.0/24 ::1',
    EMAIL: 'shop@example.com',
    ADDRESS: address,
  })
}

export async function startIdramBench(changes: Partial<WalletSetup> = {}): Promise<IdramBench> {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const ear = await startEar()
  const server = await startIdramServer(now, { resultUrl: ear.url, ...changes })
  return {
    server,
    origin: server.origin,
    settings: (origin, { credentials }) =>
      settingsOf(server.address.replace(server.origin, origin), { isWrong: credentials === 'wrong' }),
    now,
    async advance(ms) {
      aheadMs += ms
    },
    async buyer(opened, does) {
      const bill = await arrive(opened)
      const body = new URLSearchParams({ bill, ...(does !== 'pay' && { cancel: '1' }) })
      await fetch(`${server.origin}/pay`, { method: 'POST', body, redirect: 'manual' })
    },
    saver: neither,
    books: async (reference) => ({
      orders: server.bills.has(reference) ? 1 : 0,
      ...sumsOf(server, reference),
    }),
    language: async (_reference, opened) => server.bills.get(await arrive(opened))?.language ?? null,
    forget: neither,
    charges: neither,
    writes: [],
    callbacks: async () => ear.take(),
    async confirmAgain(bill, what) {
      const [first] = server.transactions.filter((each) => each.bill === bill)
      await server.confirm(bill, what === 'repeated' && first ? { id: first.id } : {})
    },
    setUp({ callbackUrl, returnUrl }) {
      Object.assign(server.setup, { resultUrl: callbackUrl, successUrl: returnUrl, failUrl: returnUrl })
    },
    causeFault: () => null,
    laterMs: 0,
    async close() {
      ear.close()
      await server.close()
    },
  }
}

/** The browser of a buyer posts the form. Throws what the page says against it. */
export async function arrive(opened: Opened): Promise<string> {
  if (opened.kind !== 'form') throw new Error('Idram wants a form')
  const answer = await fetch(opened.action, { method: 'POST', body: new URLSearchParams(opened.fields) })
  const [, alert] = /role="alert">([^<]+)/.exec(await answer.text()) ?? []
  if (alert) throw new Error(`the page says: ${alert}`)
  return opened.fields.EDP_BILL_NO ?? ''
}

/** What Idram has kept of this bill. Money that went back was never the shop's. */
export function sumsOf({ transactions }: Pick<IdramServer, 'transactions'>, bill: string) {
  const kept = transactions.filter(
    (each) => each.bill === bill && ['kept', 'unanswered'].includes(each.state),
  )
  const capturedMinor = kept.reduce((sum, { amount }) => sum + (minorOf(amount) ?? 0), 0)
  return { authorizedMinor: capturedMinor, capturedMinor, refundedMinor: 0, isReversed: false }
}

async function startEar() {
  let sent: RawInbound[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    sent.push({ method: 'POST', path: '/callbacks/acc_test_suite', query: {}, headers: {}, body })
    response.end('OK')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take(): RawInbound[] {
      const all = sent
      sent = []
      return all
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function neither(): Promise<never> {
  throw new Error('Idram cannot be asked')
}
