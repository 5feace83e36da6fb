/** The addresses of the files for programs. */
export const POSTMAN_PATH = '/docs/kassa.postman_collection.json'
export const LLMS_PATH = '/docs/llms.txt'
/** The service's address as developers' guides and programs have it. The page that is served has the address of its own service. */
export const WRITTEN_ORIGIN = 'http://localhost:3000'
