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
let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase(inject('postgresUrl'))
  db = openDb(database.url, { world: 'sandbox', max: 1 })
  for (const file of globSync('**/*.ts', { cwd: import.meta.dirname }))
    if (!file.endsWith('.test.ts')) await import(/* @vite-ignore */ new URL(file, import.meta.url).href)
})
afterAll(async () => {
  await db.end()
  await database.drop()
})

test('PostgreSQL understands each statement in each world', async () => {
  const misunderstood: string[] = []
  for (const [name, text] of statements)
    for (const world of WORLDS) {
      const error = await prepare(inWorld(text, world))
      if (error) misunderstood.push(`${world}.${name}: ${error}`)
    }
  expect(misunderstood).toEqual([])
  expect(statements.size).toBeGreaterThan(100)
})

/** Lets PostgreSQL parse a statement. Returns what it says against the statement. */
async function prepare(text: string): Promise<string | null> {
  // PostgreSQL prepares no LOCK, so that one runs, and locks nothing for long.
  const check = text.startsWith('lock table') ? text : `prepare checked as ${text}; deallocate checked`
  try {
    await db.query(`begin; ${check}; rollback`)
    return null
  } catch (error) {
    await db.query('rollback')
    return error instanceof Error ? error.message : String(error)
  }
}
