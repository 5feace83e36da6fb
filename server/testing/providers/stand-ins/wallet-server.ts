/** The wallet of the stand-in driver, on HTTP, also as the conformance suite uses it. Its buyers pay when a test says so. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Opened, RawInbound } from '../../../providers/driver.ts'
import type { DriverSimulator } from '../driver-bench.ts'
import { checksumOf, type WalletFields, type walletDriver } from './wallet.ts'

type Transaction = {
  id: string
  bill: string
  amount: string
  state: 'taken' | 'returned' | 'unheard'
}
export type Wallet = Awaited<ReturnType<typeof startWallet>>

/** `resultUrl`: where its staff have set up that we are asked and told. */
export async function startWallet({ shop, secret }: { shop: string; secret: string }) {
  const bills = new Map<string, string>()
  const transactions: Transaction[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const fields = new URLSearchParams(text)
    bills.set(fields.get('BILL') ?? '', fields.get('AMOUNT') ?? '')
    response.end('Pay here')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const wallet = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    resultUrl: '',
    bills,
    transactions,
    async post(fields: Record<string, string>): Promise<{ status: number; text: string }> {
      const answer = await fetch(wallet.resultUrl, { method: 'POST', body: new URLSearchParams(fields) })
      return { status: answer.status, text: await answer.text() }
    },
    async precheck(bill: string, amount = bills.get(bill) ?? '19.00'): Promise<boolean> {
      const { status, text } = await wallet.post({ PRECHECK: 'YES', SHOP: shop, BILL: bill, AMOUNT: amount })
      return status === 200 && text === 'OK'
    },
    /** Takes the money, and tells us. By our reply it keeps the money, or gives it back. */
    async confirm(bill: string, { amount = bills.get(bill) ?? '19.00', id = '' } = {}): Promise<Transaction> {
      const named = id || `t${transactions.length + 1}`
      const fields: WalletFields = { SHOP: shop, BILL: bill, AMOUNT: amount, TRANSACTION: named }
      const known = transactions.find((each) => each.id === named)
      const transaction: Transaction = known ?? { id: named, bill, amount, state: 'unheard' }
      if (!known) transactions.push(transaction)
      const { status, text } = await wallet.post({ ...fields, CHECKSUM: checksumOf(secret, fields) })
      if (status === 200) transaction.state = text === 'OK' ? 'taken' : 'returned'
      return transaction
    },
    /** Whether it kept the money of a buyer who paid. */
    async pay(bill: string): Promise<boolean> {
      return (await wallet.precheck(bill)) && (await wallet.confirm(bill)).state === 'taken'
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return wallet
}

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
