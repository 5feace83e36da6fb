import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { list } from 'tar'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pack, removeBuilds } from './pack.ts'

const AT = new Date('2026-01-02T03:04:05Z')
const NAME = 'kassa-1.2.3-linux-x64'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-pack-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Writes the same files in the given order and with the given time. */
async function layOut(where: string, order: string[], time: number): Promise<string> {
  const directory = join(folder, where)
  for (const path of order) {
    const file = join(directory, NAME, path)
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, `content of ${path}`, { mode: path === 'kassa' ? 0o755 : 0o644 })
    await utimes(file, time, time)
  }
  await symlink('main.ts', join(directory, NAME, 'server', 'link.ts'))
  return directory
}

async function packFrom(directory: string, target: string, name = NAME) {
  await mkdir(target, { recursive: true })
  return pack({ directory, name, target, components: '{}\n', at: AT, stateOrigin: async () => '{}\n' })
}

test('the same files give the same bytes, whatever their times and the order in which they were written', async () => {
  const files = ['server/main.ts', 'kassa', 'bin/node', 'package.json']
  const one = await layOut('one', files, 1_000_000)
  const other = await layOut('other', files.toReversed(), 2_000_000)
  await packFrom(one, join(folder, 'a'))
  await packFrom(other, join(folder, 'b'))
  const archive = await readFile(join(folder, 'a', `${NAME}.tar.gz`))
  expect(archive.equals(await readFile(join(folder, 'b', `${NAME}.tar.gz`)))).toBe(true)

  const entries: [string, number | undefined][] = []
  await list({
    file: join(folder, 'a', `${NAME}.tar.gz`),
    onReadEntry: ({ path, mode }) => entries.push([path, mode]),
  })
  expect(entries.map(([path]) => path)).toContain(`${NAME}/server/link.ts`)
  expect((entries.find(([path]) => path === `${NAME}/kassa`)?.[1] ?? 0) & 0o111).toBe(0o111)
})

test('the checksums list every file of the folder, including those of an earlier archive', async () => {
  const directory = await layOut('one', ['kassa', 'server/main.ts'], 1_000_000)
  const target = join(folder, 'out')
  await packFrom(directory, target)
  await rm(join(directory, NAME, 'kassa'))
  const without = `${NAME}-without-postgres`
  await mkdir(join(directory, without))
  await packFrom(directory, target, without)
  const lines = (await readFile(join(target, 'SHA256SUMS'), 'utf8')).trim().split('\n')
  const named = lines.map((line) => line.split('  '))
  expect(named.map(([, file]) => file)).toEqual([
    `${without}.cdx.json`,
    `${without}.provenance.json`,
    `${without}.tar.gz`,
    `${NAME}.cdx.json`,
    `${NAME}.provenance.json`,
    `${NAME}.tar.gz`,
  ])
  for (const [sum, file = ''] of named)
    expect(
      createHash('sha256')
        .update(await readFile(join(target, file)))
        .digest('hex'),
    ).toBe(sum)
})

test('a new build takes the place of the earlier one of its version, and other archives stay', async () => {
  const target = join(folder, 'out')
  const names = [
    'kassa-1.2.3-aaaaaaaa-linux-x64',
    'kassa-1.2.3-aaaaaaaa-linux-x64-without-postgres',
    'kassa-1.2.2-bbbbbbbb-linux-x64',
  ]
  for (const name of names) {
    await mkdir(join(folder, 'staged', name), { recursive: true })
    await packFrom(join(folder, 'staged'), target, name)
  }
  await removeBuilds(target, /^kassa-1\.2\.3-[0-9a-f]{8}-linux-x64\./)
  const files = await readdir(target)
  expect(files.filter((file) => file.endsWith('.tar.gz')).sort()).toEqual([
    `${names[2]}.tar.gz`,
    `${names[1]}.tar.gz`,
  ])
  const sums = await readFile(join(target, 'SHA256SUMS'), 'utf8')
  expect(sums.match(/\S+\.tar\.gz/g)).toEqual([`${names[2]}.tar.gz`, `${names[1]}.tar.gz`])
})
