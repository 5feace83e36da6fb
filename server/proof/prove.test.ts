/** `account test --pay` against the simulated Stripe and PayPal, over real HTTP: what is done, printed and left. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTokenizationIntent } from '../payments/saved-methods/saved-method.ts'
import { valueAt } from '../providers/driver/proof.ts'
import { readRecording } from '../recording/folder.ts'
import { operate } from '../testing/operator.ts'
import { findRecordedCalls } from '../testing/providers/proof-left.ts'
import { type ProofScene, setProofScene } from '../testing/providers/proof-scene.ts'
import { findTestMerchant } from './merchant.ts'

let scene: ProofScene
let folder: string
beforeAll(async () => {
  scene = await setProofScene()
  folder = await mkdtemp(join(tmpdir(), 'kassa-proof-'))
})
afterAll(async () => {
  await scene.close()
  await rm(folder, { recursive: true })
})

/** `npm test` runs one with two steps. One with one step runs below, beside a saved method. */
for (const name of ['stripe', 'stripe_two', 'paypal', 'paypal_two'] as const)
  test(`${name}: runs from the opening to the refund, and the simulator is as the driver assumes`, {
    tags: name === 'paypal_two' ? [] : ['long'],
  }, async () => {
    const { code, stdout, stderr } = await scene.run(name)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.match(/^The refund of 0.50: succeeded/gm)).toHaveLength(2)
    expect(stdout).toContain('A callback came')
    expect(stdout).toContain('  seen      ')
    expect(stdout).not.toContain('DIFFERS')
    const isTwo = name.endsWith('_two')
    expect(stdout.includes('The capture: succeeded')).toBe(isTwo)
    expect(stdout.includes('The void: succeeded')).toBe(isTwo)
    // Assumptions about two steps cannot be seen in one.
    expect(stdout.includes('not seen  A capture')).toBe(!isTwo)
    expect(await scene.statuses(name)).toEqual(isTwo ? ['refunded', 'reversed'] : ['refunded'])
  })

const SHOWN_BY_SAVING = { stripe: 6, paypal: 5 } as const
for (const name of ['stripe', 'paypal'] as const) {
  test(`${name}: --save saves a method, charges it once, refunds that and removes it`, {
    tags: name === 'stripe' ? [] : ['long'],
  }, async () => {
    const { code, stdout, stderr } = await scene.run(name, ['--save'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('The saved method is active.')
    expect(stdout).toContain('The charge of 1.00 EUR without the buyer: paid.')
    expect(stdout).toContain('The refund of 1.00: succeeded')
    expect(stdout).toContain('The removal of the saved method: succeeded.')
    expect(stdout).not.toContain('DIFFERS')
    expect(stdout.match(/^ {2}not seen .*--save/gm)).toBeNull()
  })

  test(`${name}: without --save it says what that would show`, { tags: ['long'] }, async () => {
    const { stdout } = await scene.run(name)
    expect(stdout.match(/^ {2}not seen .*--save/gm)).toHaveLength(SHOWN_BY_SAVING[name])
  })
}

test('the events of the orders reach no shop, and nothing of the recording stays', async () => {
  const { ctx } = scene.kassa
  const { rows } = await ctx.db.query<{ sent: number; receivers: number }>(
    `select (select count(*)::int from sandbox.deliveries) as sent, count(r.*)::int as receivers
     from kassa.merchants m left join sandbox.receivers r on r.merchant_id = m.id where m.name like 'Tests of accounts%'`,
  )
  expect(rows).toEqual([{ sent: 0, receivers: 0 }])
  expect(await findRecordedCalls(ctx)).toEqual({ calls: 0, keys: 0 })
})

test('Ctrl-C ends the test and withdraws the order', async () => {
  const stopping = new AbortController()
  const buyer = async () => stopping.abort()
  const { code, stdout, stderr } = await scene.run('stripe', [], { buyer, stopped: stopping.signal })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^The order is withdrawn\. The payment pay_test_\w+ (ends at|is expired)/m)
  expect(stdout).toContain('seen      A session that is ended answers with status expired at once.')
  expect(stderr).toContain('did not run to its end')
})

test('where an order cannot be withdrawn, the test says when it ends', { tags: ['long'] }, async () => {
  const stopping = new AbortController()
  const buyer = async () => stopping.abort()
  const { stdout } = await scene.run('paypal', [], { buyer, stopped: stopping.signal })
  expect(stdout).toMatch(
    /PayPal has no call that withdraws an order\. Nothing is taken any more\. The payment pay_test_\w+ ends at 20/,
  )
})

test('a test that runs keeps a second one out, and the one after a kill clears what is left', {
  tags: ['long'],
}, async () => {
  const opened = Promise.withResolvers<void>()
  const stopping = new AbortController()
  const first = scene.run('stripe_two', [], { buyer: async () => opened.resolve(), stopped: stopping.signal })
  await opened.promise
  const second = await scene.run('stripe_two')
  expect([second.code, second.stderr]).toEqual([
    1,
    expect.stringContaining('Another test of this account is running'),
  ])
  stopping.abort()
  await first

  const left = await scene.leavePaid('stripe')
  const { code, stdout } = await scene.run('stripe')
  expect(code).toBe(0)
  expect(stdout).toContain(`An earlier test has left ${left}, which is paid.`)
  expect(await scene.statusOf(left)).toBe('refunded')
})

test('a saving that a killed test has left is ended by the next test', { tags: ['long'] }, async () => {
  const { ctx } = scene.kassa
  const { token } = await createTokenizationIntent(ctx, {
    merchantId: await findTestMerchant(ctx),
    idempotencyKey: 'a test that was killed',
    request: { providerRoute: 'route_a', customerConsentId: 'a test of the account' },
  })
  const { code, stdout } = await scene.run('stripe')
  expect(code).toBe(0)
  expect(stdout).toContain(`An earlier test has left ${token.id}, which is pending.`)
  expect(stdout).toContain('The removal of the saved method: succeeded')
})

test('a recording is written to a new folder, and nothing is overwritten', async () => {
  const into = join(folder, 'new', 'folder')
  const { code, stdout } = await scene.run('paypal', ['--record', into])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`files to ${into}`)])
  const files = await readdir(into)
  expect(files).toEqual(expect.arrayContaining(['001-post.json', 'README.txt', 'recording.json']))
  expect(await readFile(join(into, 'README.txt'), 'utf8')).toContain('simulated paypal of the project itself')

  const full = join(folder, 'full')
  await mkdir(full)
  await writeFile(join(full, 'mine.txt'), 'mine')
  const refused = await scene.run('paypal', ['--record', full])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('nothing is overwritten')])
  expect(refused.stdout).toBe('')
  expect(await readdir(full)).toEqual(['mine.txt'])
})

test('flags of a real order need --pay, and the account must take the currency', async () => {
  const foreign = await scene.run('paypal', ['--currency', 'AMD', '--amount', '100'])
  expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('does not take AMD')])
  const alone = await scene.operate('test', '--account', scene.accountOf('paypal'), '--record', folder)
  expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('Add --pay')])
})

test('the simulated bank is tested too, and is not recorded', { tags: ['long'] }, async () => {
  const { code, stdout, stderr } = await scene.run('bank')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.match(/^The refund of 0.50: succeeded/gm)).toHaveLength(2)
  expect(stdout).toContain('has no list of assumptions')
  const refused = await scene.run('bank', ['--record', join(folder, 'bank')])
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('has no list of what may be kept'),
  ])
})

test('what the service does meanwhile is recorded too, although the command is another process', {
  tags: ['long'],
}, async () => {
  const into = join(folder, 'across')
  const args = ['account', 'test', '--account', scene.accountOf('paypal'), '--pay', '--record', into]
  const since = new Date()
  // It has a context of its own, as a process has.
  const command = operate(scene.settings, args)
  const opened = await vi.waitUntil(() => scene.waiting('paypal', since), { timeout: 60_000 })
  await scene.pay('paypal', opened.attempt.checkoutUrl ?? '')
  const { code, stderr } = await command
  expect([code, stderr]).toEqual([0, ''])
  const { calls } = await readRecording(into)
  const members = calls.map(({ member }) => member)
  // Only the service gets callbacks.
  expect(members).toEqual(
    expect.arrayContaining(['startCheckout', 'receive', 'lookUp', 'finalize', 'refund']),
  )
  // The stand-ins of both processes match.
  const [first] = calls.map(({ given }) => valueAt(given, 0, 'reference'))
  const about = calls
    .filter(({ member }) => member === 'receive')
    .map(({ result }) => valueAt(result, 'reference'))
  expect(new Set(about)).toEqual(new Set([first]))
})
