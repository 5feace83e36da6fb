import { expect, test } from 'vitest'
import { applyStatus } from '../payments/transition.ts'
import { noteBackup } from '../storage/backup/facts.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { operate } from '../testing/operator.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop } = await openScene()

const doctor = (...flags: string[]) =>
  operate({ DATABASE_URL: kassa.databaseUrl, PORT: new URL(kassa.url).port }, ['service', 'doctor', ...flags])

test('a service that is well says so, and that a backup is missing', async () => {
  const { code, stdout } = await doctor()
  expect([code, stdout]).toEqual([0, expect.stringMatching(/ok +Worker \(sandbox\): nothing is overdue/)])
  expect(stdout).toMatch(/open +Backup: there is none.*\n.*backup create/)
  await noteBackup(kassa.ctx.db, '/backups/one', new Date())
  expect((await doctor()).stdout).toMatch(/ok +Backup[^\n]* old\n[^$]*The service is well\.\n$/)
})

test('an account whose answers cannot be understood waits for a person, and one that is away is a problem', {
  tags: ['long'],
}, async () => {
  const { db } = kassa.ctx
  const set = (state: string) =>
    db.query(
      `insert into sandbox.account_health (account_id, state, since, reason, due_at) select min(id), $1, now(), 'a reason', now() from sandbox.accounts
       on conflict (account_id) do update set state = excluded.state`,
      [state],
    )
  await set('unclear')
  const { code, stdout } = await doctor()
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /open +Account acc_\w+ \(sandbox\): it is unclear since [^:]+:.* a reason\n +.*desk list --sandbox/,
    ),
  ])
  await set('away')
  const away = await doctor()
  expect([away.code, away.stdout]).toEqual([
    1,
    expect.stringMatching(/BAD +Account acc_\w+ \(sandbox\): it is away since/),
  ])
  await db.query('delete from sandbox.account_health')
})

test('each problem is named with the command that shows it, and the exit code is 1', async () => {
  const body = sessionRequest({ merchantOrderId: 'one' })
  const { body: session } = await createSession(kassa.url, shop, { key: 'one', body })
  const { db } = kassa.ctx
  const at = { merchantId: shop.merchantId, id: session.id }
  await applyStatus(kassa.ctx, at, { to: 'status_unknown', cause: 'provider' })
  await db.query("update sandbox.attempts set question_due_at = now() - interval '1 hour'")
  await db.query("update sandbox.accounts set refused_at = now(), refused_reason = 'the key was revoked'")
  const { code, stdout, stderr } = await doctor()
  expect([code, stderr]).toEqual([1, expect.stringMatching(/problems? to mend now/)])
  expect(stdout).toMatch(/BAD +Worker \(sandbox\): overdue: 1 question\. So no worker runs.*\n +npm start/)
  expect(stdout).toMatch(
    /BAD +Account acc_\w+ \(sandbox\): .*the key was revoked\n +.*account test --account acc_/,
  )
  expect(stdout).toMatch(
    /1 payment has an unknown outcome\n +.*payment list --status status_unknown --sandbox/,
  )
  const { findings } = JSON.parse((await doctor('--json')).stdout)
  expect(findings.length).toBeGreaterThan(5)
})

test('a provider that answers nothing is a problem, and one that answers sometimes is not', {
  tags: ['long'],
}, async () => {
  const exchanges = (account: string, failures: (string | null)[]) =>
    kassa.ctx.db.query(
      `insert into sandbox.provider_exchanges (account_id, method, url, status, failure, duration_ms, created_at)
       select $1, 'GET', 'https://bank.example', case when failure is null then 200 end, failure, 1, now()
       from unnest($2::text[]) as failure`,
      [account, failures],
    )
  await exchanges('acc_silent', ['timed out', 'timed out', 'getaddrinfo EAI_AGAIN bank.example'])
  await exchanges('acc_shaky', ['timed out', 'timed out', null])
  await exchanges('acc_new', ['timed out', 'timed out'])
  await exchanges('register sandbox', ['timed out', 'timed out', 'timed out'])
  const { stdout } = await doctor()
  expect(stdout).toMatch(
    /BAD +Cash register sandbox \(sandbox\): it has answered none of 3 requests since .*timed out\. .*receipts wait meanwhile\n +.*receipt list --sandbox/,
  )
  expect(stdout).toMatch(
    /BAD +Account acc_silent \(sandbox\): its provider has answered none of 3 requests since .*EAI_AGAIN.*\n +.*account test --account acc_silent --sandbox/,
  )
  expect(stdout).not.toMatch(/acc_shaky|acc_new/)
})

test('an open restore is named with the command that shows it, typed as it stands', {
  tags: ['long'],
}, async () => {
  const { db } = kassa.ctx
  const restored =
    'insert into sandbox.restores (restored_at, backup_at, skipped_numbers) values (now(), now(), 0)'
  await db.query(restored)
  const { stdout } = await doctor()
  await db.query('update sandbox.restores set ended_at = now()')
  expect(stdout).toMatch(
    /open +Restore \(sandbox\): a backup was restored;.*\n +npm run -s admin -- restore show --sandbox/,
  )
})
