/** The events that have come, and the settings of the plug-in. */
const { MedusaService } = require('@medusajs/framework/utils')
const { openChecked, secretsOf } = require('../../lib/settings')
const { KassaNews } = require('./models/kassa-news')

class KassaModule extends MedusaService({ KassaNews }) {
  constructor(container, options) {
    super(container, options)
    this.kassa = openChecked(options)
    this.secrets = secretsOf(options)
  }
}
exports.KassaModule = KassaModule
