/** The operator's command line: what an operator does to set up a merchant's shop. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { PaymentSession } from '../../server/contract/payment.ts'
import { type Kassa, programOf } from './kassa.ts'

const ENTRY = fileURLToPath(new URL('../../server/testing/processes/operator-main.ts', import.meta.url))
const PAGE_SIZE = 500

/** Every hosted page shows this name. It has characters that must be escaped. */
export const MERCHANT_NAME = 'Earl & "Grey" <b>Ltd</b>'

/** The shop's products. `locker` uses the route that authorizes first and captures later. */
export const PRODUCTS = {
  tea: { name: 'Earl Grey', amount: '15.00', amountMinor: 1500, currency: 'USD', route: null },
  locker: { name: 'Tea locker', amount: '1900', amountMinor: 190_000, currency: 'AMD', route: 'route_b' },
  script: {
    name: '"><img src=x onerror=alert(1)><script>alert(2)</script>',
    amount: '2.50',
    amountMinor: 250,
    currency: 'EUR',
    route: null,
  },
} as const
export type ProductId = keyof typeof PRODUCTS

export type Account = {
  merchantId: string
  webhookSecret: string
  token: string
  installationId: string
  publicKey: string
}

export type Operator = {
  /** Runs one command. Returns the object that `--json` prints. @throws Error with the command's output */
  run<Answer>(...words: string[]): Promise<Answer>
  /** Creates a merchant with a callback, a token, the products, and an installation for one origin. */
  openAccount(at: { origin: string; callbackUrl: string; returnUrl: string }): Promise<Account>
  listPayments(merchantId: string): Promise<Pick<PaymentSession, 'id' | 'status'>[]>
  close(): Promise<void>
}

type Result = { code: number; stdout: string; stderr: string }

/** Starts one process for all commands. The commands run one after another. */
export function openOperator(kassa: Kassa): Operator {
  const child = spawn(process.execPath, [programOf(ENTRY)], {
    env: kassa.settings,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  const ask = async (words: string[]): Promise<Result> => {
    child.stdin.write(`${JSON.stringify([...words, '--json'])}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error('The operator’s process has ended.')
    return JSON.parse(value) as Result
  }
  const run = async <Answer>(...words: string[]): Promise<Answer> => {
    const result = last.then(() => ask(words))
    last = result.catch(() => {})
    const { code, stdout, stderr } = await result
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${stdout}${stderr}`)
    return JSON.parse(stdout) as Answer
  }
  return {
    run,
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
    openAccount: (at) => openAccount(run, at),
    async listPayments(merchantId) {
      const list = ['payment', 'list', '--merchant', merchantId, '--limit', String(PAGE_SIZE)]
      type Answer = { payments: PaymentSession[]; next: string | null }
      let { payments, next } = await run<Answer>(...list)
      while (next) {
        const more = await run<Answer>(...list, '--after', next)
        payments = [...payments, ...more.payments]
        next = more.next
      }
      return payments
    },
  }
}

async function openAccount(
  run: Operator['run'],
  { origin, callbackUrl, returnUrl }: { origin: string; callbackUrl: string; returnUrl: string },
): Promise<Account> {
  const create = ['merchant', 'create', '--name', MERCHANT_NAME, '--callback-url', callbackUrl]
  const { merchantId, webhookSecret } = await run<Account>(...create)
  const merchant = ['--merchant', merchantId]
  const install = ['installation', 'create', ...merchant, '--origin', origin, '--return-url', returnUrl]
  const [{ token }, { installationId, publicKey }] = await Promise.all([
    run<Account>('token', 'issue', ...merchant),
    run<Account>(...install),
    ...Object.entries(PRODUCTS).map(([id, product]) => {
      const { name, amount, currency, route } = product
      const words = ['--id', id, '--name', name, '--amount', amount, '--currency', currency]
      return run('product', 'set', ...merchant, ...words, ...(route ? ['--route', route] : []))
    }),
  ])
  return { merchantId, webhookSecret, token, installationId, publicKey }
}
