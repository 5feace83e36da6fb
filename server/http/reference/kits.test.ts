/** Each kit as it is handed out, run in its own language against a running service. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyCallback } from '../../receivers/check.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { clickWidget, createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { freePort, type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { createSubscription, openToken, subscriptionRequest } from '../../testing/subscriptions.ts'

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const PRICE = { amountMinor: 1900, currency: 'USD' }
const ORDERS = { 'order-1': PRICE, dear: { amountMinor: 5000, currency: 'USD' } }
/** The shop asks less for the cup than Kassa's registry says. */
const PRICES = {
  orders: ORDERS,
  products: { tea: PRICE, cup: { amountMinor: 180_000, currency: 'AMD' } },
  subscriptions: { 'box-1': PRICE },
}
/** How long an effect that should not be there is waited for. */
const SETTLE_MS = 400

type Runner = { file: string; command: string; args(port: string): string[]; mediaType: string }
const RUNNERS: Runner[] = [
  {
    file: 'kassa-receiver-node.mjs',
    command: process.execPath,
    mediaType: 'text/javascript',
    args: () => ['kassa-receiver-node.mjs'],
  },
  {
    file: 'kassa-receiver-express.mjs',
    command: process.execPath,
    mediaType: 'text/javascript',
    args: () => ['kassa-receiver-express.mjs'],
  },
  {
    file: 'kassa_receiver.py',
    command: 'python3',
    mediaType: 'text/x-python',
    args: () => ['kassa_receiver.py'],
  },
  {
    file: 'kassa-receiver.php',
    command: 'php',
    mediaType: 'text/x-php',
    args: (port) => ['-S', `127.0.0.1:${port}`, 'kassa-receiver.php'],
  },
]

function isThere(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    console.info(`The receiver kit for ${command} is not run: it is not on this machine.`)
    return false
  }
}

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa({ worker: true })
})
afterAll(() => kassa.close())

describe.each(RUNNERS.map((runner) => ({ ...runner, there: isThere(runner.command) })))('$file', (runner) => {
  let folder: string
  let port: string
  let shop: Shop
  let child: ChildProcess
  let output = ''

  async function start(): Promise<void> {
    child = spawn(runner.command, runner.args(port), {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: port,
        KASSA_WEBHOOK_SECRET: shop.webhookSecret,
        KASSA_EVENTS: join(folder, 'events'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text) => {
        output += text
      })
    const deadline = performance.now() + 8_000
    while (!(await fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false))) {
      if (performance.now() > deadline) throw new Error(`The kit does not answer:\n${output}`)
      await sleep(30)
    }
  }
  const writePrices = (prices: object | string) =>
    writeFile(join(folder, 'prices.json'), typeof prices === 'string' ? prices : JSON.stringify(prices))
  async function stop(): Promise<void> {
    if (!child?.pid || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  beforeAll(async () => {
    if (!runner.there) return
    folder = await mkdtemp(join(tmpdir(), 'kassa-kit-'))
    port = String(await freePort())
    shop = await openShop(kassa.ctx, { callbackUrl: `http://127.0.0.1:${port}/kassa/callback` })
    const answer = await fetch(`${kassa.url}/docs/kits/${runner.file}`)
    await writeFile(join(folder, runner.file), await answer.text())
    await writePrices(PRICES)
    await symlink(MODULES, join(folder, 'node_modules'))
    await start()
  })
  afterAll(async () => {
    await stop()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  const count = (text: string) => output.split(text).length - 1
  const it = test.runIf(runner.there)

  /** Pays an order, and answers its event's body once it has been delivered. */
  async function pay(merchantOrderId: string): Promise<string> {
    const body = sessionRequest({ merchantOrderId })
    const session = await createSession(kassa.url, shop, { key: merchantOrderId, body })
    await payAtBank(session.body.providerCheckoutUrl, 'paid')
    return paidEvent(session.body.id)
  }

  /** The body of the event that says so, once it has been delivered. */
  async function paidEvent(paymentId: string): Promise<string> {
    const find = async () =>
      (await listPaymentEvents(kassa.ctx.db, shop.merchantId, paymentId)).find(
        ({ status }) => status === 'paid',
      )
    await expect.poll(async () => (await find())?.state, { timeout: 8_000 }).toBe('delivered')
    return (await find())?.body ?? ''
  }

  function sign(body: string, t = Math.floor(Date.now() / 1000)): string {
    const digest = createHmac('sha256', shop.webhookSecret).update(`${t}.${body}`).digest('hex')
    return `t=${t},v1=${'0'.repeat(64)},v1=${digest}`
  }
  async function post(body: string, signature: string | null): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${port}/kassa/callback`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        ...(signature !== null && { 'x-service-signature': signature }),
      },
    })
    await answer.text()
    return answer.status
  }

  it('passes every check of callback verify', async () => {
    const { accepted, checks } = await verifyCallback(kassa.ctx, shop.merchantId)
    expect(checks.filter(({ passed }) => !passed)).toEqual([])
    expect(accepted).toBe(true)
  })

  it('fulfils a paid order once, however often its event comes, also after a restart', async () => {
    const body = await pay('order-1')
    await expect.poll(() => count('FULFIL order-1: 1900 USD'), { timeout: 5_000 }).toBe(1)
    const again = await Promise.all([1, 2, 3].map(() => post(body, sign(body))))
    expect(again).toEqual([200, 200, 200])
    await stop()
    await start()
    expect(await post(body, sign(body))).toBe(200)
    await sleep(SETTLE_MS)
    expect(count('FULFIL order-1')).toBe(1)
    const older = { ...JSON.parse(body), id: 'evt_0older', sequence: 0 }
    older.payment = { ...older.payment, status: 'failed' }
    expect(await post(JSON.stringify(older), sign(JSON.stringify(older)))).toBe(200)
    await sleep(SETTLE_MS)
    expect(count('NOTE order-1: failed')).toBe(0)
  })

  it('hands a person what is paid, but not with the price of the order, or for no order', async () => {
    await pay('dear')
    await pay('nobody-knows')
    for (const order of ['dear', 'nobody-knows'])
      await expect.poll(() => count(`ASK A PERSON ${order}:`), { timeout: 5_000 }).toBe(1)
    expect(count('FULFIL dear') + count('FULFIL nobody-knows')).toBe(0)
  })

  it('fulfils what the button sold, by the shop’s own price for the product', async () => {
    for (const productId of ['tea', 'cup']) {
      const { body } = await clickWidget(kassa.url, shop, {
        body: { productId, clientReference: `${productId}-click` },
      })
      await payAtBank(`${body.checkoutUrl}/continue`, 'paid')
      await paidEvent(body.paymentId)
    }
    await expect.poll(() => output, { timeout: 5_000 }).toMatch(/FULFIL wgt_\w+ tea: 1900 USD/)
    await expect.poll(() => output, { timeout: 5_000 }).toMatch(/ASK A PERSON wgt_\w+ cup:/)
    expect(output).not.toMatch(/FULFIL wgt_\w+ cup/)
  })

  it('fulfils a subscription’s charge by the shop’s own reference for it', async () => {
    const request = subscriptionRequest(await openToken(kassa.url, shop))
    expect((await createSubscription(kassa.url, shop, { body: request })).status).toBe(201)
    await expect.poll(() => count('FULFIL box-1/1: 1900 USD'), { timeout: 8_000 }).toBe(1)
  })

  it('refuses a changed byte, an early and a late signature, and none at all', async () => {
    const body = JSON.stringify({
      id: 'evt_0forged',
      type: 'payment.status_changed',
      sequence: 9,
      payment: {
        id: 'pay_0forged',
        merchantOrderId: 'order-1',
        amountMinor: 1900,
        currency: 'USD',
        status: 'paid',
      },
    })
    const now = Math.floor(Date.now() / 1000)
    const before = count('FULFIL')
    for (const [text, signature] of [
      [body.replace('1900', '1901'), sign(body)],
      [`${body} `, sign(body)],
      [body, sign(body, now - 310)],
      [body, sign(body, now + 310)],
      [body, sign(body, now * 1000)],
      [body, sign(body).replaceAll('v1=', 'v0=')],
      [body, `t=${now}`],
      [body, ''],
      [body, null],
    ] as const)
      expect([signature, await post(text, signature)]).toEqual([signature, 401])
    await sleep(SETTLE_MS)
    expect(count('FULFIL')).toBe(before)
  })

  it('takes up again what it had stored and not done', async () => {
    await writePrices('{')
    const body = await pay('dear-2')
    await expect.poll(() => output, { timeout: 5_000 }).toMatch(/is tried again/)
    await writePrices({ orders: { ...ORDERS, 'dear-2': PRICE } })
    await stop()
    await start()
    expect(await post(body, sign(body))).toBe(200)
    await expect.poll(() => count('FULFIL dear-2'), { timeout: 5_000 }).toBe(1)
  })

  test('is handed out as an attachment, and shown in the reference', async () => {
    const answer = await fetch(`${kassa.url}/docs/kits/${runner.file}`)
    expect(answer.headers.get('content-type')).toBe(`${runner.mediaType}; charset=utf-8`)
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${runner.file}"`)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '', 'cache-control': 'max-age=0' }
    expect((await fetch(answer.url, { headers })).status).toBe(304)
    expect(await (await fetch(`${kassa.url}/docs/api/receiver-kits`)).text()).toContain(
      `href="/docs/kits/${runner.file}"`,
    )
  })
})

test.each(RUNNERS.filter(({ command }) => command === process.execPath))(
  '$file says which Node it needs in one line where there is no SQLite',
  async ({ file }) => {
    // What a Node before 22.13 answers to node:sqlite.
    const kit = fileURLToPath(new URL(`kits/${file}`, import.meta.url))
    const failed = await promisify(execFile)(process.execPath, ['--no-experimental-sqlite', kit]).catch(
      (error) => error,
    )
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^This needs Node 22\.13.*\n$/) })
  },
)

test('no other file of the folder is handed out, and no other method taken', async () => {
  for (const name of ['kits.ts', '..%2Fkits.ts', 'kassa_receiver', 'constructor'])
    expect((await fetch(`${kassa.url}/docs/kits/${name}`)).status).toBe(404)
  const posted = await fetch(`${kassa.url}/docs/kits/kassa_receiver.py`, { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
