import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { WORLDS, type World } from '../contract/health.ts'
import { authenticate } from '../merchants/api-key.ts'
import { addJob, measureQueue } from '../storage/jobs.ts'
import {
  askOperation,
  call,
  clickWidget,
  createLink,
  createSession,
  lookUp,
  readPage,
  sessionRequest,
} from '../testing/calls.ts'
import type { Shop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openTwoWorlds } from '../testing/scene/live.ts'
import { SWEEPS } from '../worker/sweeps.ts'

type Made = { payment: string; link: string; method: string; subscription: string; event: string }

let shops: Record<World, Shop>
let made: Record<World, Made>

const both = await openTwoWorlds()
beforeAll(async () => {
  shops = { sandbox: both.sandboxShop, live: both.liveShop }
  made = { sandbox: await makeAll('sandbox'), live: await makeAll('live') }
})

const other = (world: World): World => (world === 'live' ? 'sandbox' : 'live')
const bearer = (world: World) => ({ authorization: `Bearer ${shops[world].token}` })

async function makeAll(world: World): Promise<Made> {
  const { url } = both.kassa
  const session = await createSession(url, shops[world], { key: `made-${world}` })
  const link = await createLink(url, shops[world], { key: `made-${world}` })
  expect([session.status, link.status]).toEqual([201, 201])
  const mark = world === 'sandbox' ? 'test_' : ''
  const rest = '0'.repeat(36)
  return {
    payment: session.body.id,
    link: link.body.linkId,
    method: `pmt_${mark}${rest}`,
    subscription: `sub_${mark}${rest}`,
    event: `evt_${mark}${rest}`,
  }
}

const counting = new Map<World, { name: string; text: string }>()

/** Counts the rows of every table of a world. The statement has a name, because planning it takes far longer than counting. */
async function countRows(world: World): Promise<Record<string, number>> {
  const { db } = both.kassa.ctx
  let statement = counting.get(world)
  if (!statement) {
    const { rows } = await db.query<{ name: string }>(
      'select table_name as name from information_schema.tables where table_schema = $1 order by 1',
      [world],
    )
    const each = rows.map(
      ({ name }) => `select '${name}' as name, (select count(*)::int from ${world}.${name}) as n`,
    )
    statement = { name: `count_${world}`, text: each.join(' union all ') }
    counting.set(world, statement)
  }
  const { rows } = await db.query<{ name: string; n: number }>(statement)
  expect(rows.length).toBeGreaterThan(20)
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]))
}

/** Returns a digest of every row that a job could change. */
async function digestOf(world: World): Promise<string[]> {
  const { db } = both.kassa.ctx
  const tables = ['payments', 'idempotency_keys', 'operations', 'saved_methods', 'subscriptions', 'events']
  const digests = tables.map((table) =>
    db.query<{ digest: string }>(
      `select coalesce(md5(string_agg(each::text, ',' order by each::text)), '') as digest from ${world}.${table} each`,
    ),
  )
  return (await Promise.all(digests)).map(({ rows }) => rows[0]?.digest ?? '')
}

const operate = (...args: string[]) => operateHere(async () => both.kassa.worlds, args)

test('every id, key and page names its world', async () => {
  expect(made.sandbox.payment).toMatch(/^pay_test_[0-9a-z]{36}$/)
  expect(made.live.payment).toMatch(/^pay_[0-9a-z]{36}$/)
  expect(made.sandbox.link).toMatch(/^lnk_test_/)
  expect(shops.sandbox.token).toMatch(/^ksk_sandbox_/)
  expect(shops.live.token).toMatch(/^ksk_live_/)
  expect(shops.sandbox.publicKey).toMatch(/^kpk_sandbox_/)
  expect(shops.live.publicKey).toMatch(/^kpk_live_/)
  for (const world of WORLDS) {
    const found = await lookUp(both.kassa.url, shops[world], made[world].payment)
    expect(found.body).toMatchObject({ livemode: world === 'live', capturedMinor: 0, refundedMinor: 0 })
    const { html } = await readPage(`${both.kassa.url}/checkout/${made[world].payment}`)
    expect(html).toContain(`data-mode="${world}"`)
    expect(html.includes('sandbox-ribbon')).toBe(world === 'sandbox')
    // A shop under test may be at a plain http address, and buyers come back to it from the simulated bank's form.
    const { headers } = await fetch(`${both.kassa.url}/checkout/${made[world].payment}`)
    const [, formAction] = /form-action ([^;]*)/.exec(headers.get('content-security-policy') ?? '') ?? []
    expect([world, formAction?.includes('http:')]).toEqual([world, world === 'sandbox'])
    const install = await readPage(`${both.kassa.url}/install/${shops[world].publicKey}`)
    expect(install.html).toContain(`data-mode="${world}"`)
    const capabilities = await call(`${both.kassa.url}/v1/capabilities`, {
      method: 'GET',
      headers: bearer(world),
    })
    expect(capabilities.body.mode).toBe(world)
  }
  const health = await call(`${both.kassa.url}/api/health`, { method: 'GET' })
  expect(health.body.mode).toBe('live')
})

/** Requests from one world with an id of the other. Each is rejected as if the id did not exist. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
const ATTEMPTS: Record<string, (from: World) => Promise<{ status: number; body: any }>> = {
  'look-up of the other world’s payment': (from) =>
    lookUp(both.kassa.url, shops[from], made[other(from)].payment),
  'refund of the other world’s payment': (from) =>
    askOperation(both.kassa.url, shops[from], made[other(from)].payment, 'refunds', {
      key: 'r',
      body: { amountMinor: 1, reason: 'x' },
    }),
  'capture of the other world’s payment': (from) =>
    askOperation(both.kassa.url, shops[from], made[other(from)].payment, 'capture', { key: 'c', body: {} }),
  'void of the other world’s payment': (from) =>
    askOperation(both.kassa.url, shops[from], made[other(from)].payment, 'void', {
      key: 'v',
      body: { reason: 'x' },
    }),
  'fiscal retry of the other world’s payment': (from) =>
    call(`${both.kassa.url}/v1/fiscal-receipts/${made[other(from)].payment}/retry`, {
      headers: { ...bearer(from), 'idempotency-key': 'f' },
    }),
  'revocation of the other world’s saved method': (from) =>
    call(`${both.kassa.url}/v1/payment-method-tokens/${made[other(from)].method}`, {
      method: 'DELETE',
      headers: { ...bearer(from), 'idempotency-key': 'd' },
    }),
  'cancelling the other world’s subscription': (from) =>
    call(`${both.kassa.url}/v1/subscriptions/${made[other(from)].subscription}/cancel`, {
      headers: { ...bearer(from), 'idempotency-key': 's' },
    }),
}

describe.each(WORLDS)('from the %s world', (from) => {
  test.each(Object.keys(ATTEMPTS))('%s: 404', async (name) => {
    const before = await countRows(other(from))
    const answer = await ATTEMPTS[name]?.(from)
    const hint =
      from === 'live'
        ? 'This id belongs to the sandbox, and your token to the live world.'
        : 'This id belongs to the live world, and your token to the sandbox.'
    expect([name, answer?.status, answer?.body.error.hint]).toEqual([name, 404, hint])
    expect(await countRows(other(from))).toEqual(before)
  })

  test.each([
    [
      'in the other world’s spelling',
      (token: string) => token.replace(/^ksk_(sandbox|live)_/, `ksk_${other(from)}_`),
    ],
    ['without a world', (token: string) => token.replace(/^ksk_(sandbox|live)_/, 'ksk_')],
    ['in capitals', (token: string) => token.replace(/^ksk_(sandbox|live)/, (head) => head.toUpperCase())],
  ])('a token %s: 401', async (_name, change) => {
    const token = change(shops[from].token)
    const answer = await createSession(both.kassa.url, { ...shops[from], token }, { key: 'spelt' })
    expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_token'])
  })

  test('a token is unknown in the other world’s context', async () => {
    const there = both.kassa.worlds[other(from)]
    if (!there) throw new Error('both worlds are served')
    await expect(authenticate(there, `Bearer ${shops[from].token}`, 'payments.read')).rejects.toMatchObject({
      code: 'invalid_token',
    })
  })

  test.each([
    [
      'in the other world’s spelling',
      (key: string) => key.replace(/^kpk_(sandbox|live)_/, `kpk_${other(from)}_`),
    ],
    ['without a world', (key: string) => key.replace(/^kpk_(sandbox|live)_/, 'kpk_')],
  ])('a public key %s: 403', async (_name, change) => {
    const publicKey = change(shops[from].publicKey)
    const answer = await clickWidget(both.kassa.url, { ...shops[from], publicKey })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'widget_key_invalid'])
  })

  test('the same idempotency key and order make a payment in each world', async () => {
    const mine = await createSession(both.kassa.url, shops[from], { key: 'shared-key' })
    const theirs = await createSession(both.kassa.url, shops[other(from)], { key: 'shared-key' })
    expect(mine.body.id).not.toBe(theirs.body.id)
    expect([mine.body.livemode, theirs.body.livemode]).toEqual([from === 'live', from !== 'live'])
  })

  test('a page with an id in the other world’s spelling is not found', async () => {
    const swapped =
      from === 'sandbox'
        ? made.sandbox.payment.replace('pay_test_', 'pay_')
        : made.live.payment.replace('pay_', 'pay_test_')
    const link = swapped.replace(/^pay_/, 'lnk_')
    for (const path of [`/checkout/${swapped}`, `/checkout/${swapped}/continue`, `/link/${link}`]) {
      const { status, html } = await readPage(`${both.kassa.url}${path}`)
      expect([path, status >= 300]).toEqual([path, true])
      expect(html).not.toContain('data-testid="pay"')
    }
  })

  test('a callback at the other world’s address changes nothing', async () => {
    const before = await countRows(other(from))
    const body = JSON.stringify({ reference: 'x' })
    const signature = createHmac('sha256', both.kassa.ctx.vault.derive('sandbox-bank'))
      .update(`sandbox-callback.${body}`)
      .digest('hex')
    for (const path of [
      `/callbacks/${both.kassa.ctx.routes.route_a.id.replace('acc_test_', 'acc_')}`,
      `/callbacks/${both.kassa.ctx.routes.route_a.id.toUpperCase()}`,
      '/callbacks/route_a',
    ]) {
      const answer = await fetch(`${both.kassa.url}${path}`, {
        method: 'POST',
        headers: { 'x-sandbox-signature': signature },
        body,
      })
      expect([path, answer.status >= 400]).toEqual([path, true])
    }
    expect(await countRows(other(from))).toEqual(before)
  })

  const COMMANDS: [string, (at: Made) => string[]][] = [
    ['payment show', (at) => ['payment', 'show', '--payment', at.payment]],
    ['payment confirm', (at) => ['payment', 'confirm', '--payment', at.payment, '--reference', 'RF1']],
    [
      'payment resolve',
      (at) => ['payment', 'resolve', '--payment', at.payment, '--as', 'failed', '--why', 'x'],
    ],
    ['event show', (at) => ['event', 'show', '--event', at.event]],
    ['event replay', (at) => ['event', 'replay', '--event', at.event]],
  ]
  test.each(COMMANDS)('%s with an id of the other world is rejected', async (_name, args) => {
    const before = await countRows(other(from))
    const { code, stderr } = await operate(...args(made[other(from)]), `--${from}`)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/There is no/)])
    expect(await countRows(other(from))).toEqual(before)
  })
})

describe('the command line where both worlds are served', () => {
  test('uses the sandbox for an id of the sandbox, and names the world', async () => {
    const shown = await operate('payment', 'show', '--payment', made.sandbox.payment)
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('World: sandbox')])
    const json = await operate('payment', 'show', '--payment', made.live.payment, '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, world: 'live' })
  })

  test('every command that it prints uses the same world', async () => {
    const { merchantId } = shops.sandbox
    const { stdout } = await operate('callback', 'show', '--merchant', merchantId, '--sandbox')
    expect(stdout).toContain(`npm run -s admin -- --sandbox callback set --merchant ${merchantId}`)
    const live = await operate('callback', 'show', '--merchant', merchantId)
    expect(live.stdout).toContain(`npm run -s admin -- callback set --merchant ${merchantId}`)
    const json = await operate('callback', 'verify', '--merchant', merchantId, '--sandbox', '--json')
    expect(JSON.parse(json.stdout).error.hint).toContain('npm run -s admin -- --sandbox callback set')
  })

  test('the steps of the onboarding name the live world', async () => {
    const made = await operate('merchant', 'create', '--name', 'Early', '--json')
    const { merchantId } = JSON.parse(made.stdout)
    const { stdout } = await operate('merchant', 'onboarding', '--merchant', merchantId)
    expect(stdout).toMatch(/callback (set|verify) --merchant mer_\w+.* --live/)
    // A merchant that was created in the live world gets its sandbox secret when its sandbox callback URL is set.
    const url = ['--url', 'https://hooks.shop.example/kassa']
    const set = await operate('callback', 'set', '--merchant', merchantId, ...url, '--sandbox', '--json')
    expect(JSON.parse(set.stdout).webhookSecret).toMatch(/^whsec_/)
    const again = await operate('callback', 'set', '--merchant', merchantId, ...url, '--sandbox', '--json')
    expect(JSON.parse(again.stdout).webhookSecret).toBeUndefined()
  })
})

describe('what only the sandbox has', () => {
  test.each([
    '/sandbox/bank/orders/kassa/%s',
    '/sandbox/bank/cards/kassa/%s',
    '/SANDBOX/bank/orders/kassa/%s',
    '//sandbox/bank/orders/kassa/%s',
    '/sandbox/%%62ank/orders/kassa/%s',
    '/sandbox/bank/../bank/orders/kassa/%s',
  ])('the simulated bank at %s knows no live payment', async (path) => {
    const { rows } = await both.kassa.live.db.query<{ ref: string }>(
      'select reference as ref from live.attempts',
    )
    const reference = rows[0]?.ref ?? ''
    const before = await countRows('live')
    const address = both.kassa.url + path.replace('%s', reference).replace('%%', '%')
    const shown = await fetch(address)
    const chosen = await fetch(address, { method: 'POST', body: new URLSearchParams({ outcome: 'paid' }) })
    expect(shown.status).toBeGreaterThanOrEqual(400)
    expect(chosen.status).toBeGreaterThanOrEqual(400)
    expect(await countRows('live')).toEqual(before)
  })

  test.each([
    '/demo/',
    '/%64emo/',
    '//demo/',
    '/demo/index.html',
    '/merchant-pages/element.html',
    '/%6derchant-pages/element.html',
  ])('%s is not served', async (path) => {
    expect((await fetch(both.kassa.url + path)).status).toBe(404)
  })

  test('the clock moves the sandbox alone, and the live world has none', async () => {
    const refused = await operate('clock', 'advance', '--by', '1d', '--live')
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'The live world runs in real time. Only the clock of the sandbox can be moved.\n',
    ])
    expect(both.kassa.live.clock.sandbox).toBeUndefined()
    expect(both.kassa.live.sandbox).toBeUndefined()
  })

  test.each(['answer_lost', 'earthquake'])(
    '%s as a sandboxFault is plain metadata in the live world',
    async (sandboxFault) => {
      const body = {
        merchantOrderId: 'fault',
        amountMinor: 100,
        currency: 'USD',
        returnUrl: 'https://shop.example/thanks',
        metadata: { sandboxFault },
      }
      const answer = await createSession(both.kassa.url, shops.live, { key: sandboxFault, body })
      expect([answer.status, answer.body.status, answer.body.metadata]).toEqual([
        201,
        'pending_redirect',
        { sandboxFault },
      ])
    },
  )

  test('the live world rejects the sandbox driver', async () => {
    const capabilities = await call(`${both.kassa.url}/v1/capabilities`, {
      method: 'GET',
      headers: bearer('live'),
    })
    const ready = capabilities.body.providers.filter(
      (each: { readiness: { enabledForPaymentCreation: boolean } }) =>
        each.readiness.enabledForPaymentCreation,
    )
    expect(ready.map((each: { id: string }) => each.id)).toEqual(['manual'])
  })
})

describe.each(WORLDS)('while everything is due in both worlds, the work of the %s world', (from) => {
  const ctx = () => both.kassa.worlds[from] ?? both.kassa.ctx
  beforeAll(async () => {
    const body = sessionRequest({ merchantOrderId: `due-${from}` })
    for (const world of WORLDS)
      expect((await createSession(both.kassa.url, shops[world], { key: `due-${from}`, body })).status).toBe(
        201,
      )
    both.kassa.clock.advance(40 * 24 * 3_600_000)
  })

  test.each(Object.keys(SWEEPS))('(%s) touches nothing of the other', async (name) => {
    const before = [await digestOf(other(from)), await countRows(other(from))]
    await SWEEPS[name as keyof typeof SWEEPS](ctx())
    expect([await digestOf(other(from)), await countRows(other(from))]).toEqual(before)
  })

  test('expired the due payments of its own world', async () => {
    await SWEEPS.statusSync(ctx())
    const { rows } = await ctx().db.query(
      `select status from ${from}.payments where merchant_order_id = 'due-${from}'`,
    )
    // A payment of the manual route cannot be looked up, so it waits for an operator.
    expect(rows).toEqual([{ status: from === 'live' ? 'pending_redirect' : 'expired' }])
  })

  test('is queued in the queue of its own world', async () => {
    const depths = () => Promise.all([measureQueue(both.kassa.ctx.db), measureQueue(both.kassa.live.db)])
    const before = await depths()
    const { merchantId } = shops[other(from)]
    await addJob(ctx().db, { task: 'deliver', payload: { merchantId }, jobKey: `crossing-${from}` })
    const grown = (await depths()).map(({ due }, index) => due - (before[index]?.due ?? 0))
    expect(grown).toEqual(from === 'live' ? [0, 1] : [1, 0])
  })
})
