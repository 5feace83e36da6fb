/** Every statement, read by PostgreSQL in both worlds: a table without its schema or a misspelt column fails here. */
import { globSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import type { World } from '../contract/health.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { type Db, inWorld, openDb } from './db.ts'

const statements = vi.hoisted(() => new Map<string, string>())
vi.mock('./db.ts', async (original) => {
  const db = await original<typeof import('./db.ts')>()
  return {
    ...db,
    statement: (name: string, text: string) => {
      if (statements.has(name)) throw new Error(`Two statements have the name ${name}.`)
      statements.set(name, text)
      return db.statement(name, text)
    },
  }
})

const WORLDS: World[] = ['sandbox', 'live']
/** How many statements are sent to PostgreSQL together. If one of them has an error, each is sent alone. */
const AT_ONCE = 100
let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase(inject('postgresUrl'), 'live')
  db = openDb(database.url, { world: 'sandbox', max: 1 })
  for (const file of globSync('**/*.ts', { cwd: import.meta.dirname }))
    if (!file.endsWith('.test.ts')) await import(/* @vite-ignore */ new URL(file, import.meta.url).href)
})
afterAll(async () => {
  await db.end()
  await database.drop()
})

test('PostgreSQL understands each statement in each world', async () => {
  const all = WORLDS.flatMap((world) =>
    [...statements].map(([name, text]) => ({ name: `${world}.${name}`, text: inWorld(text, world) })),
  )
  const misunderstood: string[] = []
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE)
    if ((await prepare(some.map(({ text }) => text))) === null) continue
    for (const { name, text } of some) {
      const error = await prepare([text])
      if (error) misunderstood.push(`${name}: ${error}`)
    }
  }
  expect(misunderstood).toEqual([])
  expect(statements.size).toBeGreaterThan(100)
})

/** Lets PostgreSQL parse statements. Returns what it says against the first one that it does not understand. */
async function prepare(texts: string[]): Promise<string | null> {
  // PostgreSQL prepares no LOCK, so that one runs, and locks nothing for long.
  const checks = texts.map((text) =>
    text.startsWith('lock table') ? text : `prepare checked as ${text}; deallocate checked`,
  )
  try {
    await db.query(`begin; ${checks.join('; ')}; rollback`)
    return null
  } catch (error) {
    await db.query('rollback')
    return error instanceof Error ? error.message : String(error)
  }
}
