<?php

/** What the shop's people are told: a note at the order, and by mail where somebody has to do something. */

declare(strict_types=1);

namespace Kassa\WordPress;

use WC_Order;

function note(WC_Order $order, string $text): void
{
    $order->add_order_note(isTestMoney() ? $text . ' ' . __('(Test money)', 'kassa') : $text);
}

function askStaff(WC_Order $order, string $text): void
{
    note($order, $text);
    /* translators: 1: the shop's name, 2: the number of an order */
    $subject = sprintf(__('[%1$s] Order %2$s needs a look', 'kassa'), get_bloginfo('name'), $order->get_order_number());
    $to = apply_filters('kassa_mail_to', get_option('admin_email'), $order);
    wp_mail($to, wp_specialchars_decode($subject, ENT_QUOTES), "$text\n\n" . $order->get_edit_order_url());
}
