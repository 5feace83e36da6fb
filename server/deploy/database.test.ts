/** The database of the compose file: which role the service has there. */
import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { type EmbeddedPostgres, startEmbedded } from '../postgres/embedded.ts'
import { openService } from '../service.ts'
import { SECRETS_KEY } from '../testing/harness.ts'
import { findProgram } from '../testing/pooler.ts'

const PASSWORD = "it's a password"
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const psql = findProgram('psql')
if (!psql) console.error('The tests of the database of the compose file are skipped: psql is not installed.')

test('the service of the compose file uses the role that database.sql makes', async () => {
  const compose = await readFile(fileOf('compose.yaml'), 'utf8')
  const role = /^create role (\w+)/m.exec(await readFile(fileOf('database.sql'), 'utf8'))?.[1]
  expect(compose).toContain(`postgres://${role}:$`)
  expect(compose).toContain('./database.sql:/docker-entrypoint-initdb.d/')
  // The image would make a superuser with this name.
  expect(compose).not.toContain('POSTGRES_USER')
})

describe.skipIf(!psql)('with a PostgreSQL of its own', { tags: ['long'] }, () => {
  let server: EmbeddedPostgres
  let folder = ''
  let superuser: URL
  let service: URL
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kassa-compose-'))
    await chmod(folder, 0o755)
    server = await startEmbedded({ dataDir: folder })
    superuser = new URL(server.url)
    superuser.username = 'kassa'
    superuser.password = (await readFile(join(folder, 'postgres', 'kassa.password'), 'utf8')).trim()
    superuser.pathname = '/postgres'
    service = new URL(server.url)
    service.password = encodeURIComponent(PASSWORD)
    await query(superuser, 'create role postgres login superuser')
    await query(superuser, 'drop database kassa')
    await query(superuser, 'drop role kassa_service')
    const run = ['--no-psqlrc', '--set=ON_ERROR_STOP=1', '--quiet', '--file', fileOf('database.sql')]
    // The superuser of this server keeps its password.
    const text = (await readFile(fileOf('database.sql'), 'utf8')).replace(
      'role current_user',
      'role postgres',
    )
    execFileSync(psql ?? '', [...run.slice(0, -2), superuser.href], {
      env: { ...process.env, POSTGRES_PASSWORD: PASSWORD },
      input: text,
    })
  })
  afterAll(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function query(url: URL, sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url.href })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** Returns the warnings of a start in live mode. */
  async function start(url: URL): Promise<string[]> {
    const lines: string[] = []
    const live = { MODE: 'live', BASE_URL: 'https://pay.example', TRUST_PROXY: '1' }
    const config = readConfig({
      ...live,
      SECRETS_KEY,
      LOG_LEVEL: 'silent',
      DATABASE_URL: url.href,
      AUDIT_CHECKPOINT_DIR: folder,
    })
    const opened = await openService(config, { onProgress: (line) => lines.push(line) })
    await opened.close()
    return lines.filter((line) => line.startsWith('Warning'))
  }

  test('the service starts as a role that owns its database and is no superuser', async () => {
    expect(await start(service)).toEqual([])
    const [role] = await query(
      service,
      `select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as "isMore",
         (select datdba = r.oid from pg_database where datname = current_database()) as "isOwner"
       from pg_roles r where rolname = current_user`,
    )
    expect(role).toEqual({ isMore: false, isOwner: true })
    await expect(query(service, "copy (select 1) to program 'true'")).rejects.toMatchObject({ code: '42501' })
  })

  test('a start as a superuser warns', async () => {
    const url = new URL(superuser)
    url.pathname = '/kassa'
    expect(await start(url)).toEqual([
      expect.stringMatching(/^Warning: The role of DATABASE_URL is a superuser/),
    ])
  })
})
