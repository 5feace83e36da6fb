/** Prepares checkouts of Kassa for the benchmark. Each gets its own database and a merchant with a token. */
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Db } from '../storage/db.ts'
import type { Checkout } from './cells.ts'

const OWN_ROOT = join(import.meta.dirname, '../..')

/** Returns the checkouts to measure: this one, and the one in the directory `against` if it is given. */
export async function prepareCheckouts(
  db: Db,
  { against, url, environment }: { against?: string; url: string; environment: Record<string, string> },
): Promise<Checkout[]> {
  const places = [{ name: 'kassa', root: OWN_ROOT }, ...(against ? [{ name: 'other', root: against }] : [])]
  const checkouts: Checkout[] = []
  for (const { name, root } of places) {
    await db.query(`create database bench_${name}`)
    const databaseUrl = Object.assign(new URL(url), { pathname: `/bench_${name}` }).href
    const main = join(root, 'server/main.ts')
    await access(main)
    const token = await issueToken(root, { ...environment, DATABASE_URL: databaseUrl })
    checkouts.push({ name, main, databaseUrl, token })
  }
  return checkouts
}

/** Uses the checkout's command line, because only that is the same in all versions. The command also migrates the database. */
async function issueToken(root: string, environment: Record<string, string>): Promise<string> {
  const admin = async (...words: string[]): Promise<string> => {
    const entry = join(root, 'server/admin.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [entry, ...words, '--json'], {
      cwd: root,
      env: environment,
    })
    return stdout
  }
  const merchantId = find(await admin('merchant', 'create', '--name', 'Bench'), /"(mer_\w+)"/)
  return find(await admin('token', 'issue', '--merchant', merchantId), /"(ksk_\w+)"/)
}

function find(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1]
  if (!found) throw new Error(`The command line printed nothing like ${pattern.source}: ${text}`)
  return found
}
