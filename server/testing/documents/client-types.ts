/** Writes `server/clients/node/kassa-api.d.mts`: the schemas of the OpenAPI document that the service serves. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateTypes } from './generated-client.ts'

export const CLIENT_TYPES_FILE = fileURLToPath(new URL('../../clients/node/kassa-api.d.mts', import.meta.url))

export const writeClientTypes = async (): Promise<string> =>
  `/** Written from the OpenAPI document of the service. */\n${await generateTypes('paths', 'webhooks')}`

if (import.meta.main) writeFileSync(CLIENT_TYPES_FILE, await writeClientTypes())
