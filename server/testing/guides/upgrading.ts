/** The walk of the guide on upgrading: to an invented next version with one migration, and back. */
import { expect } from 'vitest'
import { VERSION } from '../../version.ts'
import { ADMIN, BACKUPS, type Scene } from './scene.ts'
import type { Rule } from './walk.ts'

const NEXT = '/var/tmp/next'
const AHEAD = VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1))
const MIGRATION = '-- oldest version: 0.2.0\\nalter table world.payments add column gift_note text;\\n'

export const upgrading = (scene: Scene): Rule[] => [
  { line: /^sha256sum/, before: () => packNext(scene), folder: () => NEXT },
  { line: /^tar/, folder: () => NEXT },
  {
    line: /kassa upgrade$/,
    folder: () => NEXT,
    // It asks at a terminal.
    through: (line) => `script --quiet --return --command '${line}' /dev/null`,
    input: () => 'y\n',
    after: (output) => {
      expect(output).toMatch(/0900_gift_note[\s\S]*Upgrade now\?[\s\S]*is ready/)
      expect(output).toContain(`Version ${AHEAD}`)
    },
  },
  {
    line: /kassa back$/,
    after: async (output) => {
      expect(output).toContain('is ready. To return')
      const health = await scene.run('curl -s http://localhost:3000/api/health')
      expect(health).toContain(`"version":"${VERSION}"`)
      // The earlier version says what its backups need, and cannot verify them.
      expect(await scene.run(`${ADMIN} backup create --in ${BACKUPS}`)).toContain(AHEAD)
      expect((await scene.machine.run(`${ADMIN} backup verify --in ${BACKUPS}`)).code).toBe(1)
    },
  },
  {
    line: /^npx node server\/testing/,
    not: 'for developers: it writes the stored databases of the tests anew',
  },
]

/** Makes the archive of the next version, in a directory that has nothing else. */
async function packNext({ run }: Scene): Promise<void> {
  const name = `kassa-${AHEAD}-00000000-linux-x64`
  const lines = [
    `mkdir -p ${NEXT} && cp -a "$(readlink -f /opt/kassa)" /var/tmp/${name}`,
    `cd /var/tmp/${name}`,
    `sed -i 's/"version": "${VERSION}"/"version": "${AHEAD}"/' package.json`,
    `mv .dist/widget/${VERSION} .dist/widget/${AHEAD}`,
    `printf '%b' '${MIGRATION}' >server/storage/migrations/world/0900_gift_note.sql`,
    'rm -rf .dist/compile-cache',
    `tar -I 'gzip -1' -cf ${NEXT}/${name}.tar.gz -C /var/tmp ${name}`,
    `cd ${NEXT} && sha256sum *.tar.gz >SHA256SUMS`,
  ]
  await run(lines.join(' && '))
}
