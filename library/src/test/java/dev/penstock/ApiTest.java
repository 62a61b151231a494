// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// ARCHITECTURE.md says which packages are API, and is right about it.
final class ApiTest {
    private static final Pattern ROW =
            Pattern.compile("^\\| `(dev\\.penstock[\\w.]*)` \\| (yes|no)\\b.*", Pattern.MULTILINE);
    private static final Pattern TYPES = Pattern.compile("API types of `dev\\.penstock\\.file`: ([^.]*)\\.");

    @Test
    void everyPackageIsListed() throws IOException, URISyntaxException {
        assertEquals(packages(), listed().keySet());
    }

    @Test
    void signaturesOfTheApiUseInternalTypesOnlyWhereThatIsSaid() throws Exception {
        Set<String> used = new TreeSet<>();
        Set<String> wrong = new TreeSet<>();
        for (Class<?> type : publicTypes()) {
            if (!isApi(type)) {
                continue;
            }
            for (Class<?> other : signatureTypes(type)) {
                String name = other.getPackageName();
                if (name.equals("dev.penstock.file")) {
                    used.add(outermost(other).getSimpleName());
                } else if (name.startsWith("dev.penstock") && !isApi(other)) {
                    wrong.add(type.getSimpleName() + " uses " + other.getName());
                }
            }
        }
        assertEquals(Set.of(), wrong);
        Matcher matcher = TYPES.matcher(architecture());
        assertTrue(matcher.find(), "ARCHITECTURE.md names no types of file");
        String text = matcher.group(1).replace("`", "").replaceAll("\\s+", " ");
        assertEquals(used, new TreeSet<>(List.of(text.split(", "))));
    }

    private static boolean isApi(Class<?> type) throws IOException {
        return "yes".equals(listed().get(type.getPackageName()));
    }

    private static Class<?> outermost(Class<?> type) {
        Class<?> outer = type;
        while (outer.getEnclosingClass() != null) {
            outer = outer.getEnclosingClass();
        }
        return outer;
    }

    private static String architecture() throws IOException {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("ARCHITECTURE.md"))) {
            folder = folder.getParent();
        }
        return Files.readString(folder.resolve("ARCHITECTURE.md"));
    }

    private static Map<String, String> listed() throws IOException {
        Map<String, String> listed = new TreeMap<>();
        Matcher row = ROW.matcher(architecture());
        while (row.find()) {
            listed.put(row.group(1), row.group(2));
        }
        return listed;
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(Dataset.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static Set<String> packages() throws IOException, URISyntaxException {
        Set<String> packages = new TreeSet<>();
        try (Stream<Path> files = Files.walk(classes())) {
            files.filter(file -> file.toString().endsWith(".class")
                            && !file.toString().contains("META-INF"))
                    .forEach(file -> packages.add(name(file.getParent())));
        }
        return packages;
    }

    private static String name(Path file) {
        try {
            return classes().relativize(file).toString().replace('/', '.');
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Class<?>> publicTypes() throws Exception {
        List<Class<?>> types = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes())) {
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".class")).toList()) {
                String name = name(file).replaceFirst("\\.class$", "");
                if (!name.endsWith("package-info") && !name.contains("META-INF")) {
                    Class<?> type = Class.forName(name, false, ApiTest.class.getClassLoader());
                    if (isPublic(type)) {
                        types.add(type);
                    }
                }
            }
        }
        return types;
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return Modifier.isPublic(type.getModifiers()) && (outer == null || isPublic(outer));
    }

    /// The classes in what other programs can call: parameters, results and values of public members.
    private static Set<Class<?>> signatureTypes(Class<?> type) {
        Set<Class<?>> found = new HashSet<>();
        List<Executable> members = new ArrayList<>(List.of(type.getDeclaredMethods()));
        members.addAll(List.of(type.getDeclaredConstructors()));
        for (Executable member : members) {
            if (isVisible(member.getModifiers()) && !member.isSynthetic()) {
                Stream.of(member.getGenericParameterTypes()).forEach(one -> add(one, found));
                if (member instanceof Method method) {
                    add(method.getGenericReturnType(), found);
                }
            }
        }
        for (Field field : type.getDeclaredFields()) {
            if (isVisible(field.getModifiers()) && !field.isSynthetic()) {
                add(field.getGenericType(), found);
            }
        }
        return found;
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static void add(Type type, Set<Class<?>> found) {
        switch (type) {
            case Class<?> plain -> found.add(plain.isArray() ? plain.getComponentType() : plain);
            case ParameterizedType generic -> {
                add(generic.getRawType(), found);
                Stream.of(generic.getActualTypeArguments()).forEach(one -> add(one, found));
            }
            case GenericArrayType array -> add(array.getGenericComponentType(), found);
            case WildcardType wildcard -> Stream.of(wildcard.getUpperBounds()).forEach(one -> add(one, found));
            default -> {}
        }
    }
}
