/** Packs a staged directory into an archive whose bytes depend only on its files, and writes the checksums beside the archive. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create } from 'tar'

export const CHECKSUMS = 'SHA256SUMS'

export type Subject = { name: string; sha256: string }
type PackOptions = {
  directory: string
  name: string
  target: string
  components: string
  at: Date
  /** Returns the statement of what these files were made from. */
  stateOrigin(subject: Subject[]): Promise<string>
}

/** Returns the names of the files that were written, and the archive's size in bytes. */
export async function pack({ directory, name, target, components, at, stateOrigin }: PackOptions) {
  const archive = `${name}.tar.gz`
  const sbom = `${name}.cdx.json`
  const provenance = `${name}.provenance.json`
  await create(
    {
      cwd: directory,
      file: join(target, archive),
      gzip: { level: 9 },
      portable: true,
      mtime: at,
      noDirRecurse: true,
    },
    await listEntries(directory, name),
  )
  await writeFile(join(target, sbom), components)
  const sums = await readChecksums(target)
  const sumOf = (file: string) => sha256(join(target, file))
  const subject = [
    { name: archive, sha256: await sumOf(archive) },
    { name: sbom, sha256: await sumOf(sbom) },
  ]
  await writeFile(join(target, provenance), await stateOrigin(subject))
  for (const { name: file, sha256 } of subject) sums.set(file, sha256)
  sums.set(provenance, await sumOf(provenance))
  await writeChecksums(target, sums)
  return { files: [archive, sbom, provenance, CHECKSUMS], bytes: (await lstat(join(target, archive))).size }
}

/** Removes earlier builds of the same archive from the directory, and their checksums. */
export async function removeBuilds(target: string, earlier: RegExp): Promise<void> {
  const sums = await readChecksums(target)
  const files = (await readdir(target)).filter((file) => earlier.test(file))
  for (const file of files) {
    await rm(join(target, file))
    sums.delete(file)
  }
  if (files.length > 0) await writeChecksums(target, sums)
}

/** Returns every path below the directory in a fixed order, because each file system lists them in a different order. */
async function listEntries(directory: string, name: string): Promise<string[]> {
  const entries = await readdir(join(directory, name), { recursive: true })
  return [name, ...entries.map((entry) => join(name, entry)).sort()]
}

/** Returns the checksums of other archives in the directory, for example of the archive without PostgreSQL. */
async function readChecksums(target: string): Promise<Map<string, string>> {
  const text = await readFile(join(target, CHECKSUMS), 'utf8').catch(() => '')
  const rows = text.split('\n').filter(Boolean)
  return new Map(rows.map((row) => [row.slice(66), row.slice(0, 64)]))
}

async function writeChecksums(target: string, sums: Map<string, string>): Promise<void> {
  const lines = [...sums]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, sum]) => `${sum}  ${file}\n`)
  await writeFile(join(target, CHECKSUMS), lines.join(''))
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
