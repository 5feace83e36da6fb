import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProgram, guideOfArchive } from './invocation.ts'

test('printed commands go through the link, if it leads to this version', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-invocation-'))
  const [one, two] = ['kassa-1', 'kassa-2'].map((name) => join(folder, name, 'kassa')) as [string, string]
  const link = join(folder, 'kassa', 'kassa')
  expect(findProgram(one, link)).toBeNull()
  for (const program of [one, two]) {
    await mkdir(join(program, '..'))
    await writeFile(program, '')
  }
  expect(findProgram(one, link)).toBe(one)
  await symlink(join(folder, 'kassa-2'), join(folder, 'kassa'))
  expect([findProgram(one, link), findProgram(two, link)]).toEqual([one, link])
  await rm(folder, { recursive: true })
})

test("a guide of an archive names the archive's program", () => {
  const guide =
    'Run:\n\n```sh\nnpm run -s admin -- payment list\n```\n\nA command begins with `npm run -s admin --`.\n'
  expect(guideOfArchive(guide)).toBe(
    'Run:\n\n```sh\n/opt/kassa/kassa admin payment list\n```\n\nA command begins with `npm run -s admin --`.\n',
  )
})
