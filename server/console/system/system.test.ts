/** The system page says what the doctor's examination finds, with what to do, and where. */
import { expect, test } from 'vitest'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { addPhone, openAs } from '../../testing/console.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { VERSION } from '../../version.ts'

const { kassa, desk, shop, signIn } = await openConsole()
const operator = await signIn('administrator', { email: 'a@pay.example' })

const partsOf = (text: string) =>
  Object.fromEntries(
    text
      .split('<h2>')
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('<')), part]),
  )
const query = (text: string, values: unknown[] = []) => kassa.ctx.db.query(text, values)

test('a service without trouble is well, and each kind of trouble is named with its remedy', async () => {
  await query('update sandbox.events set due_at = null')
  const { text: before } = await operator.get('/sandbox/system')
  expect(before).toContain(`<dd>${VERSION}</dd>`)
  expect(partsOf(before)['Mend now']).toBeUndefined()
  expect(partsOf(before).Well).toContain('nothing is late')
  expect(before).toContain('none was made yet')

  const body = sessionRequest({ merchantOrderId: 'late' })
  const { body: session } = await createSession(kassa.url, shop, { key: 'late', body })
  await payAtBank(session.providerCheckoutUrl, 'unknown')
  const account = kassa.ctx.routes.route_a.id
  const at = (hours: number) => new Date(kassa.clock.now().getTime() - hours * 3_600_000)
  await query(`update sandbox.events set state = 'pending', due_at = $1, created_at = $1`, [at(3)])
  await query(`update sandbox.attempts set question_due_at = $1 where payment_id = $2`, [at(1), session.id])
  await query(
    `insert into sandbox.receivers (merchant_id, url, failures, failing_since, paused_at, probe_at)
     values ($1, 'https://shop.example/callback', 40, $2, $2, $2) on conflict (merchant_id) do update
     set failures = 40, failing_since = $2, paused_at = $2, probe_at = $2`,
    [shop.merchantId, at(3)],
  )
  await query('insert into sandbox.restores (restored_at, backup_at, skipped_numbers) values ($1, $1, 1)', [
    at(1),
  ])
  const { text } = await operator.get('/sandbox/system')
  const { 'Mend now': now = '', 'Can wait': waits = '' } = partsOf(text)
  expect(now).toContain('questions: 1')
  expect(now).toContain('the oldest for 3 hours')
  expect(now).toContain('No worker runs, or it hangs.')
  expect(waits).toContain(`href="/sandbox/shops/${shop.merchantId}/events"`)
  expect(waits).toContain('paused after 40 failures')
  expect(waits).toContain('href="/sandbox/desk"')
  expect(waits).toContain('Restore that is not finished')
  expect(text).toContain('To mend now: 2.')
  await query(
    `insert into sandbox.account_health (account_id, state, since, reason, refusal, due_at)
     values ($1, 'refusing', $2, 'wrong secret', 'credentials', $2)`,
    [account, at(1)],
  )
  await query(`update sandbox.accounts set refused_at = $2, refused_reason = 'wrong secret' where id = $1`, [
    account,
    at(1),
  ])
  kassa.ctx.accounts.forget()
  const refused = partsOf((await operator.get('/sandbox/system')).text)['Mend now']
  expect(refused).toContain(`href="/sandbox/accounts/${account}"`)
  expect(refused).toContain('Test the account.')
  for (const locale of ['ru', 'hy'])
    expect((await operator.get('/sandbox/system', { 'accept-language': locale })).text).not.toMatch(
      /\{\w+\}|undefined|Mend|On the host/,
    )
})

test('passkeys of an earlier address are named, with whom they shut out and what to do', async () => {
  const { ctx } = kassa
  const part = async (name: string, browser = operator) =>
    partsOf((await browser.get('/sandbox/system')).text)[name] ?? ''
  const { id } = await openAs(ctx, desk, { role: 'operator', name: 'Zara', email: 'zara@pay.example' })
  await addPhone(ctx, desk, id)
  expect(await part('Can wait')).not.toContain('Passkeys')
  await addPhone(ctx, { origin: 'https://old.example' }, id)
  expect(await part('Can wait')).toContain(`made at old.example (1), so they do not work at ${desk.origin}.`)
  expect(await part('Can wait')).toContain('under My sign-in')
  await ctx.db.query("delete from kassa.passkeys where operator_id = $1 and host = 'localhost'", [id])
  const now = await part('Mend now')
  expect(now).toContain('Without another way to sign in: Zara.')
  expect(now).toContain('href="/sandbox/users"')
  const viewer = await openAs(ctx, desk, { role: 'viewer', email: 'viewer@pay.example' })
  const seen = await part('Mend now', viewer.browser)
  expect([seen.includes('Zara'), seen.includes('href="/sandbox/users"')]).toEqual([true, false])
  const bound = {
    role: 'viewer',
    email: 'bound@shop.example',
    merchantId: shop.merchantId,
    name: 'Bound',
  } as const
  const { browser } = await openAs(ctx, desk, bound)
  expect((await browser.get('/sandbox/system')).text).not.toContain('old.example')
})
