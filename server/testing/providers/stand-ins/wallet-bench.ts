/** The wallet of the stand-in driver, as the conformance suite uses it: what it sends is kept, and answered as the service does. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Opened, RawInbound } from '../../../providers/driver.ts'
import type { DriverSimulator } from '../driver-bench.ts'
import type { walletDriver } from './wallet.ts'
import { startWallet } from './wallet-server.ts'

type WalletSettings = Parameters<NonNullable<(typeof walletDriver)['callbacksSetUp']>>[0]

const ACCOUNT = { shop: 'tea-shop', secret: 'local-test-secret' }

export async function startWalletBench(): Promise<DriverSimulator<WalletSettings>> {
  const wallet = await startWallet(ACCOUNT)
  let aheadMs = 0
  let sent: RawInbound[] = []
  const ear = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    sent.push({ method: 'POST', path: '/callbacks/acc_test_suite', query: {}, headers: {}, body })
    response.end('OK')
  })
  ear.listen(0, '127.0.0.1')
  await once(ear, 'listening')
  wallet.resultUrl = `http://127.0.0.1:${(ear.address() as AddressInfo).port}`

  async function arrive(opened: Opened): Promise<string> {
    if (opened.kind !== 'form') throw new Error('the wallet wants a form')
    await fetch(opened.action, { method: 'POST', body: new URLSearchParams(opened.fields) })
    return opened.fields.BILL ?? ''
  }
  return {
    origin: wallet.address,
    settings: (origin, { credentials }) => ({
      ADDRESS: origin,
      SHOP: credentials === 'right' ? ACCOUNT.shop : 'another-shop',
      SECRET: ACCOUNT.secret,
      CALLERS: '127.0.0.1 192.0.2.0/24 ::1',
    }),
    now: () => new Date(Date.now() + aheadMs),
    async advance(ms) {
      aheadMs += ms
    },
    async buyer(opened, does) {
      const bill = await arrive(opened)
      if (does === 'pay') await wallet.pay(bill)
    },
    saver: neither,
    books: neither,
    forget: neither,
    charges: neither,
    writes: [],
    async callbacks() {
      const all = sent
      sent = []
      return all
    },
    async confirmAgain(bill, what) {
      const [first] = wallet.transactions.filter((each) => each.bill === bill)
      await wallet.confirm(bill, what === 'repeated' && first ? { id: first.id } : {})
    },
    causeFault: () => null,
    laterMs: 0,
    async close() {
      ear.closeAllConnections()
      ear.close()
      await wallet.close()
    },
  }
}

async function neither(): Promise<never> {
  throw new Error('nobody can ask the wallet')
}
