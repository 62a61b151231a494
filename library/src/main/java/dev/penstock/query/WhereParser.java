// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Field;
import dev.penstock.query.WhereTokens.Kind;
import dev.penstock.query.WhereTokens.Token;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/// A recursive-descent parser for conditions, with a limited depth.
final class WhereParser {
    private static final Set<String> KEYWORDS =
            Set.of("and", "or", "not", "in", "is", "null", "true", "false", "True", "False", "inf", "nan");

    private final WhereTokens tokens;
    private final Binding binding;
    private final Set<Field> named = new LinkedHashSet<>();
    private int next;
    private int depth;
    private int comparisonCount;

    WhereParser(WhereTokens tokens, Binding binding) {
        this.tokens = tokens;
        this.binding = binding;
    }

    List<Field> namedFields() {
        return List.copyOf(named);
    }

    Condition parse() {
        Condition condition = or();
        if (peek().kind() != Kind.END) {
            throw refusal("expected and, or, or the end");
        }
        return condition;
    }

    private Condition or() {
        List<Condition> parts = new ArrayList<>(List.of(and()));
        while (take("or")) {
            parts.add(and());
        }
        return parts.size() == 1 ? parts.getFirst() : new Condition.Or(List.copyOf(parts));
    }

    private Condition and() {
        List<Condition> parts = new ArrayList<>(List.of(not()));
        while (take("and")) {
            parts.add(not());
        }
        return parts.size() == 1 ? parts.getFirst() : new Condition.And(List.copyOf(parts));
    }

    private Condition not() {
        if (is("not")) {
            enter();
            next++;
            Condition condition = not().negated();
            depth--;
            return condition;
        }
        if (is("(")) {
            enter();
            next++;
            Condition condition = or();
            require(")", "close the parenthesis");
            depth--;
            return condition;
        }
        return comparison();
    }

    private void enter() {
        if (++depth > Where.DEPTH_MAX) {
            throw refusal("the condition is nested too deeply: at most " + Where.DEPTH_MAX
                    + " levels of parentheses and not");
        }
    }

    private Condition comparison() {
        Token first = peek();
        Operand left = operand();
        countComparison(first);
        boolean isNegated = is("not");
        TextSearch search = searchAt(isNegated ? next + 1 : next);
        if (search != null) {
            next += isNegated ? 2 : 1;
            Operand text = operand();
            Condition found = bind(first, () -> binding.search(left, search, text));
            return isNegated ? found.negated() : found;
        }
        if (is("in") || isNegated) {
            return list(first, left);
        }
        if (take("is")) {
            return presence(first, left);
        }
        if (comparisonAhead() == null) {
            return bind(first, () -> binding.truth(left));
        }
        List<Condition> parts = new ArrayList<>();
        Operand previous = left;
        while (comparisonAhead() != null) {
            Comparison comparison = comparisonAhead();
            Token at = tokens.list().get(next++);
            Operand before = previous;
            Operand after = operand();
            countComparison(at);
            parts.add(bind(at, () -> binding.compare(before, comparison, after)));
            previous = after;
        }
        return parts.size() == 1 ? parts.getFirst() : new Condition.And(List.copyOf(parts));
    }

    private void countComparison(Token at) {
        if (++comparisonCount > Where.COMPARISON_COUNT_MAX) {
            throw tokens.refusal(
                    at.position(),
                    "a condition has at most " + Where.COMPARISON_COUNT_MAX
                            + " comparisons; use in (...) for many values");
        }
    }

    private Comparison comparisonAhead() {
        return peek().kind() == Kind.SYMBOL ? Comparison.of(peek().value()) : null;
    }

    /// The search that a token stands for after a field, or null. The words are no keywords elsewhere.
    private TextSearch searchAt(int index) {
        Token token = tokens.list().get(Math.min(index, tokens.list().size() - 1));
        return token.kind() == Kind.NAME ? TextSearch.of(token.value()) : null;
    }

    private Condition presence(Token first, Operand left) {
        boolean isMissing = !take("not");
        require("null", "expected null or not null after is; compare with a value by ==");
        if (left instanceof Place place) {
            return new Condition.Missing(place, isMissing);
        }
        throw tokens.refusal(first.position(), "only a field can be null");
    }

    private Condition list(Token first, Operand left) {
        boolean isInside = !take("not");
        require("in", "expected in after not");
        require("(", "put the values of a list in parentheses");
        List<Operand> values = new ArrayList<>();
        do {
            if (is(")") && !values.isEmpty()) {
                break;
            }
            Token at = peek();
            values.add(operand());
            if (values.getLast() instanceof Place) {
                throw tokens.refusal(at.position(), "a list can hold numbers and texts only, not fields");
            }
            if (values.size() > Where.LIST_LENGTH_MAX) {
                throw tokens.refusal(at.position(), "a list holds at most " + Where.LIST_LENGTH_MAX + " values");
            }
        } while (take(","));
        require(")", "close the list");
        return bind(first, () -> binding.oneOf(left, values, isInside));
    }

    private Operand operand() {
        Token token = peek();
        if (token.kind() == Kind.NAME && token.value().equals("inf")) {
            next++;
            return Operand.Number.of(Double.POSITIVE_INFINITY);
        }
        if (token.kind() == Kind.SYMBOL && (is("-") || is("+"))) {
            return signed();
        }
        next++;
        return switch (token.kind()) {
            case NUMBER -> Operand.Number.of(token.value());
            case TEXT -> new Operand.Text(token.value());
            case QUOTED_NAME -> place(token);
            case NAME -> name(token);
            case SYMBOL, END -> {
                next--;
                throw refusal("expected a field, a number or a text");
            }
        };
    }

    private Operand signed() {
        String sign = tokens.list().get(next++).value();
        Token token = tokens.list().get(next);
        boolean isInfinity = token.kind() == Kind.NAME && token.value().equals("inf");
        if (!isInfinity && token.kind() != Kind.NUMBER) {
            throw refusal("expected a number after " + sign + "; there is no arithmetic in a condition");
        }
        next++;
        return isInfinity
                ? Operand.Number.of(sign.equals("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY)
                : Operand.Number.of(sign + token.value());
    }

    private Operand name(Token token) {
        return switch (token.value()) {
            case "true", "True" -> Operand.Number.of(true);
            case "false", "False" -> Operand.Number.of(false);
            case "nan" -> Operand.Number.of(Double.NaN);
            case "and", "or", "not", "in" ->
                throw tokens.refusal(
                        token.position(),
                        "expected a field, a number or a text; a field called " + token.value() + " needs backquotes");
            default -> place(token);
        };
    }

    private Place place(Token name) {
        Field field = bind(name, () -> binding.field(name.value()));
        List<Long> indices = new ArrayList<>();
        if (take("[")) {
            do {
                indices.add(index());
            } while (take(","));
            require("]", "close the index with ]");
        }
        named.add(field);
        return bind(name, () -> binding.place(field, indices));
    }

    private long index() {
        Token token = peek();
        if (token.kind() != Kind.NUMBER || !token.value().matches("[0-9]{1,18}")) {
            throw refusal("an index must be an integer from 0");
        }
        next++;
        return Long.parseLong(token.value());
    }

    /// Adds the position of a token to the message of a mismatch.
    private <T> T bind(Token at, Supplier<T> work) {
        try {
            return work.get();
        } catch (Binding.Mismatch e) {
            throw tokens.refusal(at.position(), e.getMessage());
        }
    }

    private Token peek() {
        return tokens.list().get(next);
    }

    private boolean is(String word) {
        Token token = peek();
        boolean isWord = token.kind() == Kind.SYMBOL || token.kind() == Kind.NAME && KEYWORDS.contains(word);
        return isWord && token.value().equals(word);
    }

    private boolean take(String word) {
        boolean isThere = is(word);
        next += isThere ? 1 : 0;
        return isThere;
    }

    private void require(String word, String what) {
        if (!take(word)) {
            throw refusal(what);
        }
    }

    private IllegalArgumentException refusal(String what) {
        return tokens.refusal(peek().position(), what);
    }
}
