/** A restore of an older backup: what was revoked since stays so, by the list outside, or by the people on the host. */
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { checkpointKey } from '../audit/checkpoint.ts'
import { parseRevocations, REVOCATIONS, writeRevocations } from '../audit/revocations.ts'
import type { Context } from '../context.ts'
import { listUnwrittenRevocations } from '../storage/audit/revocations.ts'
import { type Db, openDb } from '../storage/db.ts'
import { KINDS } from '../storage/restores/revoked.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { type Kassa, openShop, SECRETS_KEY, type Shop, startKassa } from '../testing/harness.ts'
import { operate, operateJson } from '../testing/operator.ts'
import { serveHere } from '../testing/serve-here.ts'

let folder: string
let kassa: Kassa
let shop: Shop
let source: Record<string, string>
const databases: TestDatabase[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-revoked-'))
  const checkpoints = join(folder, 'checkpoints')
  await mkdir(checkpoints)
  kassa = await startKassa({ settings: { SECRETS_KEY, AUDIT_CHECKPOINT_DIR: checkpoints } })
  shop = await openShop(kassa.ctx)
  source = {
    DATABASE_URL: kassa.databaseUrl,
    SECRETS_KEY,
    AUDIT_CHECKPOINT_DIR: checkpoints,
    SEED_DEMO: 'false',
  }
})
afterAll(async () => {
  for (const db of asked.values()) await db.end()
  await kassa.close()
  for (const database of databases) await database.drop()
  await rm(folder, { recursive: true, force: true })
})

async function run(settings: Record<string, string>, ...args: string[]) {
  const { code, answer } = await operateJson(settings, args)
  expect([code, answer.error], args.join(' ')).toEqual([0, undefined])
  return answer
}
const list = () => join(source.AUDIT_CHECKPOINT_DIR ?? '', REVOCATIONS)
const keys = (ctx: Context) => [checkpointKey(ctx)]
/** One connection to each database that is asked. */
const asked = new Map<string, Db>()
const sql = async (text: string, url = kassa.databaseUrl) => {
  const db = asked.get(url) ?? openDb(url, { world: 'sandbox', max: 1 })
  asked.set(url, db)
  return (await db.query(text)).rows
}

let backups = 0
async function backUp(): Promise<string> {
  const to = join(folder, `backup-${++backups}`)
  await run(source, 'backup', 'create', '--to', to)
  return to
}

/** Restores into a new database. `given`: flags and settings. */
async function restore(from: string, flags: string[] = [], settings: Record<string, string> = {}) {
  const database = await createEmptyDatabase(inject('postgresUrl'))
  databases.push(database)
  const restored = { ...source, ...settings, DATABASE_URL: database.url }
  const answer = await run(restored, 'backup', 'restore', '--from', from, ...flags)
  return { settings: restored, url: database.url, answer }
}

/** Returns what a service says to each of the tokens. */
async function sells(settings: Record<string, string>, ...tokens: string[]): Promise<number[]> {
  const service = await serveHere({ ...settings, RATE_LIMITS: 'off' })
  const statuses: number[] = []
  try {
    for (const token of tokens) {
      const body = sessionRequest({ merchantOrderId: token, amountMinor: 1900 })
      statuses.push((await createSession(service.url, { ...shop, token }, { key: token, body })).status)
    }
    return statuses
  } finally {
    await service.stop()
  }
}

/** Everything that can be taken back: rows of the database, what takes each back, and what is true after a restore. */
const P = 'usr_00000000000000000000000000'
const PEOPLE = `
  insert into kassa.operators (id, name, role, key_digest, created_at) values
    ('${P}1', 'Removed', 'operator', sha256('1'), now()), ('${P}2', 'Lowered', 'administrator', sha256('2'), now()),
    ('${P}3', 'Rekeyed', 'operator', sha256('3'), now()), ('${P}4', 'Limited', 'operator', sha256('4'), now()),
    ('${P}5', 'Moved', 'shop', null, now()), ('${P}6', 'Kept', 'administrator', sha256('6'), now()),
    ('${P}7', 'Shut out', 'shop', null, now());
  insert into kassa.console_users (operator_id, email, merchant_id, refund_limits) values
    ('${P}1', 'r@x.example', null, null), ('${P}4', 'l@x.example', null, '{"USD": 5000, "EUR": 100}'), ('${P}5', 'm@x.example', 'MER', null),
    ('${P}6', 'k@x.example', null, null), ('${P}7', 's@x.example', 'MER', null);
  insert into kassa.passkeys (id, operator_id, public_key, counter, host, transports, created_at)
    values ('pk-1', '${P}4', '', 0, 'x', '{}', now()), ('pk-2', '${P}4', '', 0, 'x', '{}', now());
  insert into kassa.passwords (operator_id, hash, key_id, sealed, used_step, changed_at)
    values ('${P}6', 'old', 'k', '', 0, now() - interval '1 day');
  insert into kassa.recovery_codes (digest, operator_id) values (sha256('c'), '${P}6');
  insert into kassa.console_sessions (digest, operator_id, seen_at, ends_at) values (sha256('s'), '${P}6', now(), now() + interval '1 hour');
  insert into kassa.sign_in_links (operator_id, digest, expires_at) values ('${P}6', sha256('l'), now() + interval '1 hour');
  insert into kassa.approval_limits (world, currency, limit_minor) values ('sandbox', 'USD', 90000);
  insert into kassa.origins (merchant_id, origin, created_at) values ('MER', 'https://old.example', now());
  insert into kassa.domain_reviews (merchant_id, origin, approved_at) values ('MER', 'https://old.example', now());
  insert into kassa.proposals (id, world, what, about, key_id, sealed, proposed_by, proposed_at, expires_at)
    values ('prp_1', 'sandbox', 'token issue', 'MER', 'k', '', '${P}6', now(), now() + interval '1 day');
  update sandbox.api_keys set refund_limits = '{"USD": 5000}' where merchant_id = 'OTHER';
  update sandbox.installations set origins = '{https://shop.example,https://old.example}' where merchant_id = 'OTHER';
  insert into sandbox.receivers (merchant_id, url) values ('MER', 'https://old.example/events'), ('OTHER', 'https://kept.example/events');
  insert into sandbox.order_books (merchant_id, email, locale, changed_at)
    values ('MER', 'old@x.example', 'en', now()), ('OTHER', 'kept@x.example', 'en', now());
  insert into sandbox.order_links (digest, merchant_id, day, expires_at)
    values (repeat('a', 64), 'MER', now(), now() + interval '9 days'), (repeat('b', 64), 'OTHER', now(), now() + interval '9 days');
  insert into sandbox.short_addresses (folded, name, merchant_id, installation_id, product_id, state, asked_at, approved_at)
    select 'tea', 'tea', 'MER', id, 'tea', 'approved', now(), now() from sandbox.installations where merchant_id = 'MER';
  insert into sandbox.account_merchants (account_id, merchant_id, allowed_at) select min(id), 'MER', now() from sandbox.accounts;
  insert into sandbox.saved_methods (merchant_id, id, provider, account_id, provider_reference, status, customer_consent_id, operation_id,
    expires_at, created_at, updated_at) values ('MER', 'pmt_1', 'route_a', 'acc_1', 'r', 'active', 'c', 'o', now(), now(), now());
  insert into sandbox.subscriptions (merchant_id, id, merchant_subscription_id, provider, account_id, saved_method_id, amount_minor, currency,
    billing_interval, description, status, anchor_at, operation_id, created_at, updated_at)
    values ('MER', 'sub_1', 's', 'route_a', 'acc_1', 'pmt_1', 100, 'USD', 'month', 'd', 'active', now(), 'o', now(), now());`
const REVOKED: Record<string, [string, string]> = {
  person: [
    `update kassa.operators set removed_at = now() where id = '${P}1'; delete from kassa.console_users where operator_id = '${P}1'`,
    `select removed_at is not null and not exists (select from kassa.console_users where operator_id = o.id) as ok from kassa.operators o where id = '${P}1'`,
  ],
  role: [
    `update kassa.operators set role = 'viewer' where id = '${P}2'`,
    `select role = 'viewer' as ok from kassa.operators where id = '${P}2'`,
  ],
  operator_key: [
    `update kassa.operators set key_digest = sha256('33') where id = '${P}3'`,
    `select key_digest is null as ok from kassa.operators where id = '${P}3'`,
  ],
  person_limit: [
    `update kassa.console_users set refund_limits = '{"USD": 700, "AMD": 9}' where operator_id = '${P}4'`,
    `select refund_limits = '{"USD": 700}' as ok from kassa.console_users where operator_id = '${P}4'`,
  ],
  person_merchant: [
    `update kassa.console_users set merchant_id = null where false; update kassa.console_users set merchant_id = 'OTHER' where operator_id = '${P}5'`,
    `select merchant_id = 'OTHER' as ok from kassa.console_users where operator_id = '${P}5'`,
  ],
  passkey: [
    `delete from kassa.passkeys where id = 'pk-1'`,
    `select array_agg(id) = '{pk-2}' as ok from kassa.passkeys`,
  ],
  password: [
    `update kassa.passwords set hash = 'new', changed_at = now()`,
    `select count(*) = 0 as ok from kassa.passwords`,
  ],
  approval_limit: [
    `update kassa.approval_limits set limit_minor = 500`,
    `select limit_minor = 500 as ok from kassa.approval_limits`,
  ],
  origin: [
    `delete from kassa.origins where origin = 'https://old.example'`,
    `select count(*) = 0 as ok from kassa.origins where origin = 'https://old.example'`,
  ],
  merchant_state: [
    `update kassa.merchants set state = 'closed', stopped_at = now(), stopped_why = 'over' where id = 'OTHER'`,
    `select state = 'closed' as ok from kassa.merchants where id = 'OTHER'`,
  ],
  token: [
    `update sandbox.api_keys set revoked_at = now() where merchant_id = 'MER'`,
    `select bool_and(revoked_at is not null) as ok from sandbox.api_keys where merchant_id = 'MER'`,
  ],
  public_key: [
    `update sandbox.installations set revoked_at = now() where merchant_id = 'MER'`,
    `select bool_and(revoked_at is not null) as ok from sandbox.installations where merchant_id = 'MER'`,
  ],
  webhook_secret: [
    `insert into sandbox.webhook_secrets select merchant_id, 'newer', key_id, sealed, now(), null from sandbox.webhook_secrets where merchant_id = 'OTHER';
    update sandbox.webhook_secrets set expires_at = now() where merchant_id = 'OTHER' and id <> 'newer'`,
    `select bool_and(expires_at <= now()) as ok from sandbox.webhook_secrets where merchant_id = 'OTHER'`,
  ],
  account: [
    `update sandbox.accounts set retired_at = now() where id = (select min(id) from sandbox.accounts)`,
    `select bool_and(retired_at is not null) as ok from sandbox.accounts where id = (select min(id) from sandbox.accounts)`,
  ],
  console_user: [
    `delete from kassa.console_users where operator_id = '${P}7'`,
    `select count(*) = 0 as ok from kassa.console_users where operator_id = '${P}7'`,
  ],
  domain_review: [
    `delete from kassa.domain_reviews where origin = 'https://old.example'`,
    `select count(*) = 0 as ok from kassa.domain_reviews where origin = 'https://old.example'`,
  ],
  token_limit: [
    `update sandbox.api_keys set refund_limits = '{"USD": 100}' where merchant_id = 'OTHER'`,
    `select bool_and(refund_limits = '{"USD": 100}') as ok from sandbox.api_keys where merchant_id = 'OTHER'`,
  ],
  public_key_origins: [
    `update sandbox.installations set origins = '{https://shop.example,https://new.example}' where merchant_id = 'OTHER'`,
    `select bool_and(origins = '{https://shop.example}') as ok from sandbox.installations where merchant_id = 'OTHER'`,
  ],
  account_merchant: [
    `delete from sandbox.account_merchants where merchant_id = 'MER'`,
    `select count(*) = 0 as ok from sandbox.account_merchants where merchant_id = 'MER'`,
  ],
  subscription: [
    `update sandbox.subscriptions set status = 'cancelled', cancelled_at = now(), cancel_reason = 'requested', next_charge_at = null where id = 'sub_1'`,
    `select status = 'cancelled' as ok from sandbox.subscriptions where id = 'sub_1'`,
  ],
  saved_method: [
    `update sandbox.saved_methods set status = 'revoked' where id = 'pmt_1'`,
    `select status = 'revoked' as ok from sandbox.saved_methods where id = 'pmt_1'`,
  ],
  // The token was replaced and restored, so it is as before.
  callback: [
    `update sandbox.receivers set url = 'https://new.example/events' where merchant_id in ('MER', 'OTHER');
    update sandbox.receivers set url = 'https://kept.example/events' where merchant_id = 'OTHER'`,
    `select array_agg(merchant_id) = '{OTHER}' as ok from sandbox.receivers where merchant_id in ('MER', 'OTHER')`,
  ],
  order_mails: [
    `update sandbox.order_books set email = 'new@x.example' where merchant_id in ('MER', 'OTHER');
    update sandbox.order_books set email = 'kept@x.example' where merchant_id = 'OTHER'`,
    `select array_agg(email order by email) = '{kept@x.example,null}' and (select array_agg(merchant_id) = '{OTHER}' from sandbox.order_links) as ok
      from sandbox.order_books where merchant_id in ('MER', 'OTHER')`,
  ],
  short_address: [
    `update sandbox.short_addresses set state = 'retired', retired_at = now() where folded = 'tea'`,
    `select state = 'retired' as ok from sandbox.short_addresses where folded = 'tea'`,
  ],
  product: [
    `update sandbox.products set removed_at = now() where merchant_id = 'MER' and id = 'cup'`,
    `select removed_at is not null as ok from sandbox.products where merchant_id = 'MER' and id = 'cup'`,
  ],
}

test('each kind that a trigger notes is applied by a restore, and tried below', async () => {
  expect(Object.keys(REVOKED).sort()).toEqual([...KINDS].sort())
  const rows = await sql(
    `select distinct split_part(encode(t.tgargs, 'escape'), '\\000', 1) as kind from pg_trigger t
     join pg_proc p on p.oid = t.tgfoid where p.proname in ('note_revocation', 'note_replaced') order by 1`,
  )
  expect(rows.map(({ kind }) => kind)).toEqual([...KINDS].sort())
})

describe('with the list beside the checkpoints', () => {
  test('each revocation since the backup stays, every session and link has ended, and nobody waits', async () => {
    const other = await openShop(kassa.ctx)
    const named = (text: string) =>
      text.replaceAll('MER', shop.merchantId).replaceAll('OTHER', other.merchantId)
    await sql(named(PEOPLE))
    await writeRevocations(kassa.ctx)
    const from = await backUp()
    for (const [statement] of Object.values(REVOKED)) await sql(named(statement))
    await writeRevocations(kassa.ctx)
    const { url, answer } = await restore(from)
    expect(answer.revoked).toMatchObject({
      waits: false,
      notes: [],
      setAgain: [
        `the callback URL of ${shop.merchantId}`,
        `the address for the mails about orders of ${shop.merchantId}`,
      ],
    })
    // An address may have a secret in it.
    expect(await readFile(list(), 'utf8')).not.toMatch(/new\.example\/events|x\.example/)
    expect(
      await sql(`select expires_at <= now() as ok from kassa.proposals where id = 'prp_1'`, url),
    ).toEqual([{ ok: true }])
    for (const [kind, [, question]] of Object.entries(REVOKED))
      expect([kind, await sql(named(question), url)]).toEqual([kind, [{ ok: true }]])
    const ended = `select (select count(*) from kassa.console_sessions) + (select count(*) from kassa.sign_in_links)
      + (select count(*) from kassa.recovery_codes) as left`
    expect(await sql(ended, url)).toEqual([{ left: 0 }])
    expect(
      await sql('select count(*)::int as waits from kassa.operators where waits_since is not null', url),
    ).toEqual([{ waits: 0 }])
    // Tokens that were not revoked work as before.
    expect(await sql(`select role from kassa.operators where id = '${P}6'`, url)).toEqual([
      { role: 'administrator' },
    ])
    await sql(`delete from kassa.operators where id like '${P}%' and false`)
  })

  test('a line that was changed, taken out or cut off is named with its place', async () => {
    const text = await readFile(list(), 'utf8')
    const lines = text.trimEnd().split('\n')
    const faultsOf = (content: string, expected = 0) =>
      parseRevocations(content, { name: REVOCATIONS, keys: keys(kassa.ctx), expected }).faults
    expect(faultsOf(text)).toEqual([])
    const [changed] = faultsOf(text.replace('"kind":"role"', '"kind":"seen"'))
    expect(changed).toMatch(/jsonl, line \d+: its signature is not this deployment's/)
    const [foreign] = parseRevocations(text, { name: REVOCATIONS, keys: [] }).faults
    expect(foreign).toMatch(/jsonl, line 1: its signature is not this deployment's/)
    const [removed] = faultsOf(`${[...lines.slice(0, 3), ...lines.slice(4)].join('\n')}\n`)
    expect(removed).toMatch(/jsonl, line 4: it has the number 5, and 4 was expected/)
    const [torn] = faultsOf(text.slice(0, -40))
    expect(torn).toMatch(new RegExp(`line ${lines.length}: it cannot be read`))
    const [short] = faultsOf(`${lines.slice(0, -1).join('\n')}\n`, lines.length)
    expect(short).toContain('Its end was cut off')
  })

  test('a list that was changed, cut or given a foreign line is reported with the place, and people wait', {
    tags: ['long'],
  }, async () => {
    const from = await backUp()
    const text = await readFile(list(), 'utf8')
    const tampered = async (name: string, content: string) => {
      const file = join(folder, name, REVOCATIONS)
      await mkdir(join(folder, name))
      await writeFile(file, content)
      return restore(from, ['--revocations', file])
    }
    const changed = await tampered('changed', text.replace('"kind":"role"', '"kind":"seen"'))
    expect(changed.answer.revoked).toMatchObject({
      waits: true,
      notes: expect.arrayContaining([expect.stringMatching(/jsonl, line \d+: its signature/)]),
    })
    expect(
      await operate(source, ['backup', 'restore', '--from', from, '--revocations', join(folder, 'none')]),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be read'),
    })
  })
})

describe('without a list', () => {
  test('people and tokens that may move money wait for the host, and other tokens go on selling', async () => {
    const { merchantId, token } = await openShop(kassa.ctx)
    const mine = ['--merchant', merchantId]
    const reading = await run(source, 'token', 'issue', ...mine, '--scope', 'payments.read', 'payments.write')
    // With a limit a second person would have to agree.
    await sql('delete from kassa.approval_limits')
    const key = (await run({ ...source }, 'user', 'add', '--name', 'Host Ani', '--role', 'administrator')).key
    const from = await backUp()
    const nowhere = join(folder, `nowhere-${backups}`)
    await mkdir(nowhere)
    const { settings, answer } = await restore(from, [], { AUDIT_CHECKPOINT_DIR: nowhere })
    expect(answer.revoked).toMatchObject({ waits: true })
    const keyed = { ...settings, KASSA_OPERATOR_KEY: key }
    expect(await operate(keyed, ['merchant', 'list'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /nobody has confirmed since that Host Ani[\s\S]*restore confirm --person 'Host Ani'/,
      ),
    })
    expect(await sells(settings, token, reading.token)).toEqual([401, 201])
    const shown = await run(settings, 'restore', 'confirm')
    expect(shown.people.map(({ name }: { name: string }) => name)).toContain('Host Ani')
    expect(
      shown.tokens.filter(({ waits }: { waits: boolean }) => !waits).map(({ id }: { id: string }) => id),
    ).toContain(reading.tokenId)
    const doctor = await operate(settings, ['service', 'doctor'])
    expect(doctor.stdout + doctor.stderr).toMatch(/restore confirm/)
    await run(settings, 'restore', 'confirm', '--person', 'host ani')
    expect(await operate(keyed, ['merchant', 'list'])).toMatchObject({ code: 0 })
    await run(settings, 'restore', 'confirm', '--all')
    const { rows } = await run(settings, 'audit', 'list')
    const confirmed = rows.filter(({ what }: { what: string }) => what === 'restore confirm')
    expect(confirmed.map(({ about }: { about: string }) => about.split(' ')[0])).toEqual(
      expect.arrayContaining(['operators', 'api_keys']),
    )
    expect(await sells(settings, token)).toEqual([201])
    expect(await run(settings, 'restore', 'confirm')).toMatchObject({ people: [], tokens: [] })
    expect(await operate(settings, ['restore', 'confirm', '--token', 'key_x'])).toMatchObject({ code: 1 })
  })

  test('a list that begins after the backup is not enough', { tags: ['long'] }, async () => {
    const from = await backUp()
    const file = join(from, 'manifest.json')
    const manifest = JSON.parse(await readFile(file, 'utf8'))
    await writeFile(file, JSON.stringify({ ...manifest, createdAt: '2026-01-01T00:00:00.000Z' }))
    const { answer } = await restore(from)
    expect(answer.revoked).toMatchObject({
      waits: true,
      notes: [expect.stringMatching(/begins at .* after the backup/)],
    })
  })
})

describe('the list', () => {
  const LOWER = `insert into kassa.approval_limits (world, currency, limit_minor) values ('sandbox', 'EUR', 900)
    on conflict (world, currency) do update set limit_minor = approval_limits.limit_minor - 1`
  const lines = async () =>
    parseRevocations(await readFile(list(), 'utf8'), { name: 'list', keys: keys(kassa.ctx) })

  test('gets a line again after a crash between the list and the database, and goes on after a torn line', async () => {
    await writeRevocations(kassa.ctx)
    const before = await lines()
    expect(before.faults).toEqual([])
    await sql(LOWER)
    // The process dies after the file was written: the database does not know of the line.
    const [row] = await listUnwrittenRevocations(kassa.ctx.db, 10)
    await writeRevocations(kassa.ctx)
    await sql(`update kassa.revocations set line = null where id = ${row?.id}`)
    await writeRevocations(kassa.ctx)
    // It dies in the middle of a line.
    await sql(LOWER)
    await appendFile(list(), '{"line": 99, "ki')
    await writeRevocations(kassa.ctx)
    const after = await lines()
    expect(after.faults).toEqual([])
    expect(after.lines.length).toBe(before.lines.length + 3)
    expect(after.lines.filter(({ id }) => id === row?.id)).toHaveLength(2)
  })

  test('that cannot be written never blocks a revocation, warns, and gets it later', async () => {
    const ctx = {
      ...kassa.ctx,
      config: { ...kassa.ctx.config, auditCheckpointDir: join(folder, 'checkpoints', REVOCATIONS) },
    }
    const broken = { ...source, AUDIT_CHECKPOINT_DIR: join(folder, 'checkpoints', REVOCATIONS) }
    const { token, merchantId } = await openShop(kassa.ctx)
    const [{ id }] = (await sql(`select id from sandbox.api_keys where merchant_id = '${merchantId}'`)) as [
      { id: string },
    ]
    const revoked = await operate(broken, ['token', 'revoke', '--token', id])
    expect([revoked.code, revoked.stderr]).toEqual([0, expect.stringContaining('could not be written')])
    expect(token).toBeTruthy()
    await expect(writeRevocations(ctx)).rejects.toThrow()
    const had = (await lines()).lines.length
    await writeRevocations(kassa.ctx)
    expect((await lines()).lines.slice(had)).toMatchObject([{ kind: 'token', about: { id } }])
  })

  test('that was lost is written anew from the database', async () => {
    // Restores into other databases have written lines too. Those are not in this one.
    const own = new Set((await sql('select id from kassa.revocations')).map(({ id }) => id))
    const had = (await lines()).lines.map(({ id }) => id).filter((id) => own.has(id))
    await rm(list())
    await writeRevocations(kassa.ctx)
    const anew = await lines()
    expect(anew.faults).toEqual([])
    expect(new Set(anew.lines.map(({ id }) => id))).toEqual(new Set(had))
  })
})

test('a trial of a backup ends nothing, and a restore that was interrupted opens to no service', {
  tags: ['long'],
}, async () => {
  const from = await backUp()
  const database = await createEmptyDatabase(inject('postgresUrl'))
  databases.push(database)
  await run(source, 'backup', 'verify', '--from', from, '--on', database.url)
  expect(
    await sql('select count(*)::int as n from kassa.operators where waits_since is not null', database.url),
  ).toEqual([{ n: 0 }])
  await sql(
    `insert into kassa.incoming_moves (move_id, started_at) values ('00000000-0000-0000-0000-000000000000', now())`,
    database.url,
  )
  await expect(serveHere({ ...source, DATABASE_URL: database.url })).rejects.toThrow(
    'The restore into this database was interrupted',
  )
})
