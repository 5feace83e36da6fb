/** Root's data had another default place in version 0.1. A live service must not start on an empty database unnoticed. */
import type { Config } from '../config.ts'
import { findEarlierData } from '../postgres/embedded.ts'
import { EmbeddedError } from '../postgres/error.ts'
import { nameOf } from '../settings/table.ts'

/** Warns about data of an earlier version in the old place. @throws EmbeddedError in live mode */
export async function warnOfEarlierData(
  config: Config,
  what: 'postgres' | 'secrets-key',
  { dataDir, onProgress }: { dataDir: string; onProgress(line: string): void },
): Promise<void> {
  const earlier = config.dataDir ? null : await findEarlierData(what, dataDir)
  if (!earlier) return
  const setting = nameOf('dataDir')
  const line = `${earlier} has the data of an earlier version. Root's data now has a directory for each checkout: ${dataDir}.`
  if (config.mode === 'live')
    throw new EmbeddedError(`${line} Set ${setting} to the directory that this service is to use.`)
  onProgress(`${line} To use the earlier data, set ${setting}=${earlier}.`)
}
