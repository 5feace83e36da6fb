/**
 * The database of a release as one text file: a backup with its tables one after the other. Upgrades are tested on it. The
 * first line is the manifest. The rows of each table follow, in the order of the manifest.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { fill } from '../../backup/fill.ts'
import { fileOf, type Manifest, readManifest } from '../../backup/manifest.ts'
import { nameOfTable } from '../../storage/backup/tables.ts'
import type { Db } from '../../storage/db.ts'
import { isOlder, readMigrations, type Schema, THIS_RELEASE } from '../../storage/upgrade/files.ts'
import { VERSION } from '../../version.ts'

export const releasePath = (version: string) => new URL(`./${version}.txt`, import.meta.url)

/** Returns a backup as one text. */
export async function packRelease(directory: string): Promise<string> {
  const manifest = await readManifest(directory)
  const texts: string[] = []
  for (const table of manifest.tables)
    texts.push(gunzipSync(await readFile(join(directory, fileOf(table, false)))).toString())
  return `${JSON.stringify(manifest)}\n${texts.join('')}`
}

/** Fills an empty database with the release's data. Returns what a test must find in it. */
export async function loadRelease(db: Db, version: string): Promise<Manifest> {
  const text = await readFile(releasePath(version), 'utf8')
  const [first = '', ...lines] = text.split('\n')
  const manifest = JSON.parse(first) as Manifest
  const rows = new Map<string, string>()
  for (const table of manifest.tables)
    rows.set(
      nameOfTable(table),
      lines
        .splice(0, table.rows)
        .map((line) => `${line}\n`)
        .join(''),
    )
  await fill(
    db,
    {
      skippedNumbers: 0,
      facts: { ...manifest, migrations: await currentDigests(manifest) },
      tables: manifest.tables,
      read: (table) => Readable.from([Buffer.from(rows.get(nameOfTable(table)) ?? '')]),
      digestOf: (table) =>
        manifest.tables.find((each) => nameOfTable(each) === nameOfTable(table)) ?? { rows: 0, digest: '' },
    },
    () => {},
  )
  return manifest
}

/** Returns the names of the migrations that the releases before a version have had in a schema. */
export async function migrationsBefore(version: string, schema: Schema): Promise<Set<string>> {
  const names = new Set<string>()
  for (const file of await readdir(new URL('.', import.meta.url))) {
    const released = /^(.+)\.txt$/.exec(file)?.[1]
    if (!released || !isOlder(released, version)) continue
    const [first = ''] = (await readFile(releasePath(released), 'utf8')).split('\n', 1)
    for (const each of (JSON.parse(first) as Manifest).migrations)
      if (each.schema === schema) names.add(each.name)
  }
  return names
}

/**
 * The migrations that this version has are never edited again, because there are databases that were made by them. Whatever changes
 * is a new migration.
 */
export const FROZEN = '0.2.0'

/** Until a version is frozen its migrations may be edited, so its file is read with their current digests. */
async function currentDigests({ version, migrations }: Manifest): Promise<Manifest['migrations']> {
  if (version !== VERSION || !isOlder(FROZEN, version)) return migrations
  return Promise.all(
    migrations.map(async (each) => {
      const files = await readMigrations(each.schema as Schema, THIS_RELEASE)
      return { ...each, digest: files.find(({ name }) => name === each.name)?.digest ?? each.digest }
    }),
  )
}
