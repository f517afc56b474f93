#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes module sidl_arrays: for each element type and rank a derived type with the array of C and a
# Fortran pointer to its elements. Usage: arrays.sh TEMPLATE (arrays.f90.in) >sidl_arrays.f90
template=$1

part() { # NAME RANK...: its lines of the template, for all types and these ranks
    section_name=$1
    shift
    number=0
    while read -r name declaration; do
        number=$((number + 1))
        for rank; do
            colons=:
            section="lo(1):"
            for i in $(seq 2 "$rank"); do
                colons=$colons,:
                section="$section,lo($i):"
            done
            sed -n "/^!begin $section_name$/,/^!end/{/^!/!p}" "$template" |
                sed "s/@T/$name/g; s/@R/$rank/g; s/@D/$declaration/g; s/@N/$number/g; s/@:/$colons/g; s/@S/$section/g" |
                if [ "$name" = char ]; then sed 's/@P/character(kind=c_char,len=:)/'; else sed "s/@P/$declaration/"; fi
        done
    done <<'EOF'
bool logical(sidl_bool)
char character(kind=c_char,len=1)
dcomplex complex(sidl_dcomplex)
double real(sidl_double)
fcomplex complex(sidl_fcomplex)
float real(sidl_float)
int integer(sidl_int)
long integer(sidl_long)
opaque type(c_ptr)
string type(sidl_string_t)
object type(sidl_ref_t)
EOF
}

generics() { # RANKS NAME...: generic names for the procedures NAME_TYPE_RANK
    ranks=$1
    shift
    for name; do
        echo "  interface $name"
        for type in bool char dcomplex double fcomplex float int long opaque string object; do
            for rank in $ranks; do
                echo "    procedure :: ${name}_${type}_$rank"
            done
        done
        echo "  end interface"
    done
}

sed -n '/^!begin head/,/^!end/{/^!/!p}' "$template"
all="1 2 3 4 5 6 7"
part types $all
generics "$all" createCol createRow borrow deleteRef is_null not_null cast assignment |
    sed 's/interface assignment/&(=)/'
generics 1 create1d
generics 2 create2dCol create2dRow
echo 'contains'
part bodies $all
part bodies1 1
part bodies2 2
sed -n '/^!begin tail/,/^!end/{/^!/!p}' "$template"
