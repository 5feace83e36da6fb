<?php

/** The way to pay, as WooCommerce sees it: its settings, its button and its refunds. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Throwable;
use WC_Admin_Settings;
use WC_Order;
use WC_Payment_Gateway;

final class Gateway extends WC_Payment_Gateway
{
    /** What was typed and not stored, so that it is still in the form. WooCommerce makes a new gateway after a form was sent. */
    private static array $typed = [];

    public function __construct()
    {
        $this->id = 'kassa';
        $this->method_title = __('Kassa', 'kassa');
        $this->method_description = __('Buyers pay on the pages of your Kassa. Refunds, captures and releases are made from the order.', 'kassa');
        $this->supports = ['products', 'refunds'];
        $this->title = __('Pay by card', 'kassa');
        $this->description = isTestMoney()
            ? __('Test: no real money is taken.', 'kassa')
            : __('You pay on a secure page, and come back here.', 'kassa');
        $this->form_fields = $this->fields();
        $this->init_settings();
        add_action('woocommerce_update_options_payment_gateways_kassa', [$this, 'process_admin_options']);
    }

    /** Only the page has the fields that are checked before they are stored. WooCommerce's API neither shows nor changes them. */
    private function fields(): array
    {
        $enabled = ['title' => __('Enabled', 'kassa'), 'type' => 'checkbox', 'label' => __('Offer this way to pay', 'kassa'), 'default' => 'no'];
        if (!is_admin()) {
            return ['enabled' => $enabled];
        }
        $once = __('It is stored. Leave this empty to keep it.', 'kassa');
        return [
            'enabled' => $enabled,
            'url' => ['title' => __('Address of Kassa', 'kassa'), 'type' => 'url', 'placeholder' => 'https://pay.example', 'default' => ''],
            'token' => [
                'title' => __('Token', 'kassa'), 'type' => 'kassa_secret', 'placeholder' => 'ksk_live_...', 'default' => '',
                'description' => setting('token') === '' ? '' : $once,
            ],
            'secret' => [
                'title' => __('Callback secret', 'kassa'), 'type' => 'kassa_secret', 'placeholder' => 'whsec_...', 'default' => '',
                'description' => setting('secret') === '' ? '' : $once,
            ],
        ];
    }

    /** A stored secret is never written into the page. */
    public function generate_kassa_secret_html($key, $data): string
    {
        return $this->generate_text_html($key, ['type' => 'password', 'custom_attributes' => ['autocomplete' => 'off']] + $data);
    }

    public function get_option($key, $empty_value = null)
    {
        $isShown = is_admin() && doing_action('woocommerce_settings_checkout');
        if ($isShown && isset(self::$typed[$key])) {
            return self::$typed[$key];
        }
        return $isShown && in_array($key, ['token', 'secret'], true) ? '' : parent::get_option($key, $empty_value);
    }

    /** Stores nothing unless everything is right, so that a wrong token does not stop a shop that sells. */
    public function process_admin_options(): bool
    {
        $given = ['enabled' => $this->posted('enabled') === '' ? 'no' : 'yes'];
        foreach (['url', 'token', 'secret'] as $name) {
            $text = trim((string) preg_replace('/\s+/', ' ', $this->posted($name)));
            $given[$name] = $text === '' && $name !== 'url' ? setting($name) : ($name === 'url' ? untrailingslashit($text) : $text);
        }
        $isOff = $given['enabled'] === 'no';
        $isSame = $given['url'] === setting('url') && $given['token'] === setting('token') && $given['secret'] === setting('secret');
        $checked = $isOff && $isSame ? ['wrong' => [], 'capabilities' => null] : checkSettings($given);
        foreach ($checked['wrong'] as $text) {
            $this->add_error($text);
            WC_Admin_Settings::add_error($text);
        }
        if ($checked['wrong']) {
            WC_Admin_Settings::add_error(__('Nothing was stored.', 'kassa'));
            self::$typed = ['enabled' => $given['enabled'], 'url' => $given['url'], 'token' => $this->posted('token'), 'secret' => $this->posted('secret')];
            return false;
        }
        if ($checked['capabilities']) {
            $given['digits'] = (string) wp_json_encode($checked['capabilities']['currencyDigits']);
        }
        $stored = get_option(OPTION, []);
        $this->settings = $given + (is_array($stored) ? $stored : []);
        update_option(OPTION, $this->settings);
        $this->form_fields = $this->fields();
        $this->enabled = $given['enabled'];
        return true;
    }

    private function posted(string $name): string
    {
        $value = $this->get_post_data()[$this->get_field_key($name)] ?? '';
        return is_string($value) ? trim(wp_unslash($value)) : '';
    }

    public function admin_options(): void
    {
        parent::admin_options();
        echo '<h3>' . esc_html__('How it stands', 'kassa') . '</h3>';
        echo wp_kses_post(showFindings(findProblems()));
        echo '<p>' . esc_html__('Events of Kassa come to this address:', 'kassa') . ' <code>' . esc_html(eventAddress()) . '</code></p>';
    }

    public function needs_setup(): bool
    {
        return !isConnected();
    }

    public function is_available(): bool
    {
        return parent::is_available() && isConnected() && whyUnsuitable(get_woocommerce_currency()) === null;
    }

    /** @return array */
    public function process_payment($order_id)
    {
        try {
            $url = startPayment((int) $order_id);
            watchCart((int) $order_id);
            return ['result' => 'success', 'redirect' => $url];
        } catch (Refusal $refusal) {
            wc_add_notice($refusal->getMessage(), 'error');
        } catch (Throwable $error) {
            error_log("Kassa: $error");
            wc_add_notice(__('The payment could not be started. You have not been charged. Please try again.', 'kassa'), 'error');
        }
        return ['result' => 'failure'];
    }

    /** @return true|\WP_Error */
    public function process_refund($order_id, $amount = null, $reason = '')
    {
        return refund((int) $order_id, $amount, (string) $reason);
    }

    /** @param WC_Order $order */
    public function can_refund_order($order)
    {
        return $order instanceof WC_Order && payerOf($order->get_id()) !== null;
    }
}
